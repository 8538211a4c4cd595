/** What `npm run verify` prints about clauses. */
import { styleText } from 'node:util'
import type { ClauseResult } from './check-server.ts'

const HEADINGS = {
  contract: 'The contract',
  addition: 'Additions of this project, which another server may lack',
}
const MARKS = { holds: 'green', fails: 'red', skipped: 'dim', removed: 'dim' } as const

/** The lines for one clause, in colours if stdout is a terminal; none if it was skipped. @param previous the one before */
export function describeResult(result: ClauseResult, previous: ClauseResult | undefined): string[] {
  const { id, origin, says, outcome, reason, request } = result
  const heading = origin === previous?.origin ? [] : ['', styleText('bold', HEADINGS[origin])]
  if (outcome === 'skipped') return heading
  // A missing addition is not a fault in a server that only serves the contract.
  const colour = outcome === 'fails' && origin === 'addition' ? 'yellow' : MARKS[outcome]
  return [
    ...heading,
    `  ${styleText(colour, outcome)}  ${id.padEnd(12)} ${says}`,
    ...(outcome === 'fails' ? [`         ${request ?? ''}: ${reason ?? ''}`] : []),
  ]
}

function summarize(results: readonly ClauseResult[], origin: ClauseResult['origin']) {
  const own = results.filter((result) => result.origin === origin)
  const { holds = [], fails = [], skipped = [], removed = [] } = Object.groupBy(own, ({ outcome }) => outcome)
  return { holds: holds.length, fails: fails.length, skipped: skipped.length, removed: removed.length }
}

/** The last lines: how many hold, and why others were not checked. */
export function describeSummary(results: readonly ClauseResult[]): string[] {
  const [contract, additions] = [summarize(results, 'contract'), summarize(results, 'addition')]
  const colour = contract.fails === 0 ? 'green' : 'red'
  return [
    '',
    styleText(['bold', colour], `Contract: ${describeCounts(contract)}.`),
    `Additions: ${describeCounts(additions)}.`,
    ...listSkipped(results),
  ]
}

const describeCounts = ({ holds, fails, removed }: ReturnType<typeof summarize>) =>
  `${holds} of ${holds + fails} checked clauses hold${removed > 0 ? `; ${removed} are about an operation that has been removed` : ''}`

function listSkipped(results: readonly ClauseResult[]): string[] {
  const skipped = results.filter(({ outcome }) => outcome === 'skipped')
  return Array.from(
    Map.groupBy(skipped, ({ reason }) => reason),
    ([reason, group]) => {
      const ofContract = group.filter(({ origin }) => origin === 'contract').length
      return `Not checked, because they ${reason ?? ''}: ${ofContract} of the contract, ${group.length - ofContract} additions.`
    },
  )
}
