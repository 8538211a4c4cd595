import { Checker, type CheckerOptions, type Judgement } from './checker.ts'
import { groups } from './clauses/groups.ts'
import { describeAdditions, hasAdditions, type Verdict } from './judge.ts'
import { Skip } from './request.ts'

export interface ClauseResult {
  /** What this project adds to a clause of the contract has the clause's id and a plus sign. */
  id: string
  origin: 'contract' | 'addition'
  says: string
  outcome: 'holds' | 'fails' | 'skipped'
  /** Why it fails or was skipped. */
  reason?: string
  /** What was sent, if it fails. */
  request?: string
}

/**
 * Checks every clause: first those of the contract, then the additions.
 * @throws OperatorError if the server cannot be checked at all
 */
export async function* verify(options: CheckerOptions): AsyncGenerator<ClauseResult> {
  const checker = new Checker(options)
  await checker.start()
  const clauses = groups.flatMap((group) => group.clauses)
  const additions: ClauseResult[] = []
  for (const clause of clauses.filter(({ isAddition }) => !isAddition)) {
    const judgement = await checker.check(clause)
    const { id, says } = clause
    yield toResult({ id, says, origin: 'contract' }, judgement, 'clause')
    if (!hasAdditions(clause)) continue
    const added = { id: `${id}+`, says: describeAdditions(clause), origin: 'addition' } as const
    additions.push(toResult(added, judgement, 'added'))
  }
  yield* additions
  for (const clause of clauses.filter(({ isAddition }) => isAddition)) {
    const { id, says } = clause
    yield toResult({ id, says, origin: 'addition' }, await checker.check(clause), 'clause')
  }
}

function toResult(
  head: Pick<ClauseResult, 'id' | 'says' | 'origin'>,
  judgement: Judgement | Skip,
  part: keyof Verdict,
): ClauseResult {
  if (judgement instanceof Skip) return { ...head, outcome: 'skipped', reason: judgement.reason }
  const { request, [part]: reason } = judgement
  if (reason === null) return { ...head, outcome: 'holds' }
  return { ...head, outcome: 'fails', reason, request: `${request.method} ${request.path.slice(0, 120)}` }
}
