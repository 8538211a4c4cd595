/** Checks, before anything is measured, that all servers give the same answers. */
import { createRequests, type Operation, OUR_DIALECT } from './operations.ts'
import { send } from './send.ts'
import type { Server } from './servers.ts'

const SAMPLE = 20

/** @throws Error that shows the first two answers that differ */
export async function checkAnswers(
  ours: Server,
  peer: Server,
  operation: Operation,
  rows: number,
): Promise<void> {
  const sample = { rows, seed: 1, count: SAMPLE }
  const requests = createRequests(operation, { ...sample, dialect: OUR_DIALECT })
  const theirs = createRequests(operation, { ...sample, dialect: peer.dialect })
  const normalize = peer.contender.normalize ?? ((answer: string) => answer)
  for (const [index, request] of requests.entries()) {
    const [expected, actual] = [
      await send(ours.url, request),
      await send(peer.url, theirs[index] ?? request),
    ].map((answer) => (/create/i.test(operation) ? withoutId(normalize(answer)) : normalize(answer)))
    if (actual === expected) continue
    throw new Error(
      `${peer.contender.title} answers ${request.path} with\n${actual}\ninstead of\n${expected}`,
    )
  }
}

/** Every creation gets a different id. */
function withoutId(answer: string): string {
  return answer.replace(/"id":"?\d+"?,/, '')
}
