import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/write-json.ts'
import { MAX_ANSWER } from '../../../src/base/request-memory.ts'

const STEP = 64 * 2 ** 10

/** @returns the text, and the bytes of each step */
function write(value: unknown, start?: string, hold: (bytes: number) => void = () => undefined) {
  const steps: number[] = []
  const job = writeJson(value, start, (bytes) => {
    steps.push(bytes)
    hold(bytes)
  })
  for (;;) {
    const { done, value } = job.next()
    if (done) return { text: value.toString(), steps }
  }
}

const aliases = (name: string) =>
  Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, name]))
const dogs = Array.from({ length: 9_000 }, (_, id) => ({ id, name: 'Rex', ok: true }))

const VALUES: [string, unknown][] = [
  ['a short one', { pet: { id: '1', name: 'Rex', status: null } }],
  ['ASCII', 'x'.repeat(65_000)],
  ['quotes', { a: '"'.repeat(60_000), b: ['"'] }],
  ['control characters', Array.from({ length: 60 }, () => '\u0001'.repeat(9_999))],
  ['other languages', '語'.repeat(20_000)],
  ['emoji', [['🐕'.repeat(30_000)], '\ud800']],
  ['long aliases', { ['a'.repeat(10_000)]: null, '"': 1, b: 'x'.repeat(9_999) }],
  ['a page', { pets: { nodes: dogs } }],
  [
    'a page of one pet with a long name under many aliases',
    { pets: { nodes: [aliases('x'.repeat(65_000))] } },
  ],
  ['edges', { edges: dogs.map((node) => ({ cursor: 'MQ', node: { node } })) }],
  ['what is empty', { a: {}, b: [], c: '', d: [{}], e: undefined, f: 'x'.repeat(20_000) }],
  ['nothing', null],
]

describe('a text', () => {
  it.each(VALUES)('is that of JSON.stringify, in steps of about 64 kB: %s', (_, value) => {
    const { text, steps } = write(value, 'data: ')
    expect(text).toBe(`data: ${JSON.stringify(value)}`)
    expect(steps.reduce((sum, bytes) => sum + bytes)).toBe(Buffer.byteLength(text) - 'data: '.length)
    expect(Math.max(...steps)).toBeLessThan(3 * STEP)
    for (const bytes of steps.slice(0, -1)) expect(bytes).toBeGreaterThanOrEqual(STEP)
  })

  it('is counted step by step, and given up if there is no memory', () => {
    let held = 0
    const hold = (bytes: number) => {
      held += bytes
      if (held > 3 * STEP) throw new Error('no')
    }
    expect(() => write(dogs, '', hold)).toThrow('no')
    expect(held).toBeLessThan(5 * STEP)
  })

  it('is at most as large as an answer may be', () => {
    expect(write('x'.repeat(MAX_ANSWER - 2)).text).toHaveLength(MAX_ANSWER)
    for (const value of ['x'.repeat(MAX_ANSWER - 1), Array.from({ length: 300 }, () => 'x'.repeat(60_000))])
      expect(() => write(value)).toThrow(expect.objectContaining({ code: 'RESPONSE_TOO_LARGE' }))
  })
})
