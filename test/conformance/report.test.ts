import { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { beforeEach, expect, it, vi } from 'vitest'
import { describeResult, describeSummary } from './report.ts'
import type { ClauseResult } from './check-server.ts'

const results: ClauseResult[] = [
  { id: 'A-01', origin: 'contract', says: 'one', outcome: 'holds' },
  {
    id: 'A-02',
    origin: 'contract',
    says: 'two',
    outcome: 'fails',
    reason: 'expected 1',
    request: 'GET /v1/pets',
  },
  { id: 'A-03', origin: 'contract', says: 'three', outcome: 'skipped', reason: 'may create pets' },
  {
    id: 'A-01+',
    origin: 'addition',
    says: 'one (X)',
    outcome: 'fails',
    reason: 'expected X',
    request: 'GET /v1/pets',
  },
  { id: 'A-04', origin: 'addition', says: 'four', outcome: 'skipped', reason: 'may create pets' },
]
const linesOf = () => results.flatMap((result, index) => describeResult(result, results[index - 1]))

beforeEach(() => {
  for (const variable of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI'])
    vi.stubEnv(variable, undefined)
  return () => vi.unstubAllEnvs()
})

it('has a line for each clause checked, and what was wrong with it', () => {
  expect(linesOf()).toEqual([
    '',
    'The contract',
    '  holds  A-01         one',
    '  fails  A-02         two',
    '         GET /v1/pets: expected 1',
    '',
    'Additions of this project, which another server may lack',
    '  fails  A-01+        one (X)',
    '         GET /v1/pets: expected X',
  ])
})

it('ends with counts, and with why others were not checked', () => {
  expect(describeSummary(results)).toEqual([
    '',
    'Contract: 1 of 2 checked clauses hold.',
    'Additions: 0 of 1 checked clauses hold.',
    'Not checked, because they may create pets: 1 of the contract, 1 additions.',
  ])
})

it('in colour, a missing addition is not red, and the contract is green only if all its clauses hold', () => {
  vi.stubEnv('FORCE_COLOR', '1')
  const [contract, addition] = linesOf().filter((line) => line.includes('fails'))
  expect(contract).toContain(styleText('red', 'fails'))
  expect(addition).toContain(styleText('yellow', 'fails'))
  const [summary, green] = [describeSummary(results)[1], describeSummary(results.slice(0, 1))[1]]
  expect(summary).toBe(styleText(['bold', 'red'], 'Contract: 1 of 2 checked clauses hold.'))
  expect(green).toBe(styleText(['bold', 'green'], 'Contract: 1 of 1 checked clauses hold.'))
})

it.each([
  ['a terminal', true, undefined, true],
  ['a terminal, with NO_COLOR', true, '1', false],
  ['a pipe', false, undefined, false],
])('colours on %s', (_, isTTY, noColor, expected) => {
  vi.stubEnv('NO_COLOR', noColor)
  vi.stubEnv('TERM', 'xterm-256color')
  // By Node's own rules.
  const getColorDepth = () => WriteStream.prototype.getColorDepth()
  const { stdout } = process
  const stream = Object.assign(Object.create(stdout) as typeof stdout, { isTTY, getColorDepth })
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(stream)
  expect(describeSummary(results).join('').includes('\u001B[31m')).toBe(expected)
})
