import { WriteStream } from 'node:tty'
import { expect, it, onTestFinished, vi } from 'vitest'
import { describeResult, describeSummary, type Paint, toJson } from '../../../src/commands/verify.ts'
import type { ClauseResult } from '../../../src/verify/run.ts'

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
const plain: Paint = (_, text) => text
const tagged: Paint = (format, text) => `<${[format].flat().join()}>${text}`
const linesOf = (paint: Paint) =>
  results.flatMap((result, index) => describeResult(result, results[index - 1], paint))

it('has a line for each clause checked, and what was wrong with it', () => {
  expect(linesOf(plain)).toEqual([
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
  expect(describeSummary(results, tagged)).toEqual([
    '',
    '<bold,red>Contract: 1 of 2 checked clauses hold.',
    'Additions: 0 of 1 checked clauses hold.',
    'Not checked, because they may create pets: 1 of the contract, 1 additions.',
  ])
  const [, summary] = describeSummary(results.slice(0, 1), tagged)
  expect(summary).toBe('<bold,green>Contract: 1 of 1 checked clauses hold.')
})

it('a missing addition is not red', () => {
  expect(linesOf(tagged).filter((line) => line.includes('>fails'))).toEqual([
    '  <red>fails  A-02         two',
    '  <yellow>fails  A-01+        one (X)',
  ])
})

it('as JSON, with ids as digits', () => {
  const created = [{ id: 2n ** 53n + 1n, name: 'Rex', categoryId: 1n }, null]
  expect(toJson('https://x/v1', results, created)).toEqual({
    baseUrl: 'https://x/v1',
    holds: false,
    contract: { holds: 1, fails: 1, skipped: 1 },
    additions: { holds: 0, fails: 1, skipped: 1 },
    clauses: results,
    created: [
      { id: '9007199254740993', name: 'Rex' },
      { id: null, name: null },
    ],
  })
})

it.each([
  ['a terminal', true, undefined, true],
  ['a terminal, with NO_COLOR', true, '1', false],
  ['a pipe', false, undefined, false],
])('colours on %s', (_, isTTY, noColor, expected) => {
  for (const variable of ['FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI']) vi.stubEnv(variable, undefined)
  vi.stubEnv('NO_COLOR', noColor)
  vi.stubEnv('TERM', 'xterm-256color')
  onTestFinished(() => void vi.unstubAllEnvs())
  // By Node's own rules.
  const getColorDepth = () => WriteStream.prototype.getColorDepth()
  const { stdout } = process
  const stream = Object.assign(Object.create(stdout) as typeof stdout, { isTTY, getColorDepth })
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(stream)
  expect(describeSummary(results).join('').includes('\u001B[31m')).toBe(expected)
})
