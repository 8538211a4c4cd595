/** Several histories at a time on the servers of one environment, while each of its faults happens once. */
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { sendRequest } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { record, type Recorder } from './clients.ts'
import { CLIENTS, type Environment, secretOf } from './environments.ts'

const OPERATIONS = 1_000

interface RoundOptions {
  seed: number
  histories: number
  /** Of each history. */
  operations?: number
}

export async function recordRound(
  { urls, faults, maxAge }: Environment,
  { seed, histories, operations = OPERATIONS }: RoundOptions,
): Promise<Recorder[]> {
  const progress = { done: 0 }
  const stopping = new AbortController()
  const recording = Promise.all(
    Array.from({ length: histories }, (_, index) =>
      record({
        number: index + 1,
        seed: seed + index,
        clients: CLIENTS,
        operations,
        urls,
        secretOf,
        maxAge,
        onOperation: () => (progress.done += 1),
      }),
    ),
  ).finally(() => stopping.abort())
  const [recorders] = await Promise.all([
    recording,
    breakInTurn(faults, histories * operations, progress, stopping.signal),
  ])
  await eventually(async () => {
    const statuses = await Promise.all(urls.map(async (url) => (await sendRequest(url, '/readyz')).status))
    expect(statuses).toEqual(urls.map(() => 200))
  })
  await Promise.all(recorders.map((recorder) => recorder.readAll()))
  return recorders
}

/** Spreads the faults over the operations. */
async function breakInTurn(
  faults: Environment['faults'],
  operations: number,
  progress: { done: number },
  signal: AbortSignal,
): Promise<void> {
  for (const [index, fault] of faults.entries()) {
    const due = (operations * (index + 1)) / (faults.length + 1)
    while (progress.done < due && !signal.aborted) await setTimeout(5)
    await fault()
  }
}
