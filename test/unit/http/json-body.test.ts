import { describe, expect, it } from 'vitest'
import { decodeUtf8, parseExactJson } from '../../../src/http/json-body.ts'

const read = (text: string) => parseExactJson(Buffer.from(text))
const rejected = expect.objectContaining({ code: 'INVALID_REQUEST' }) as Error

describe('JSON is read exactly', () => {
  it.each<[string, unknown]>([
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['1.0', 1n],
    ['1e3', 1000n],
    ['0.5', 0.5],
    ['9223372036854775808', 2 ** 63],
    ['1e400', Infinity],
    ['{"a":[1,"1",null,true,{"b":2.5}]}', { a: [1n, '1', null, true, { b: 2.5 }] }],
    ['"é🐕\\u0000"', 'é🐕\0'],
  ])('valid JSON is read: %s', (text, value) => expect(read(text)).toEqual(value))
})

describe('an invalid body', () => {
  it.each([
    ['The body must be JSON, but is empty.', ''],
    ['The body must be JSON (RFC 8259).', '{'],
    ['The body must be JSON (RFC 8259).', '{} // comment'],
  ])('is rejected with what is wrong: %s', (message, text) => {
    expect(() => read(text)).toThrow(rejected)
    expect(() => read(text)).toThrow(message)
  })

  it.each<[string, (count: number) => string]>([
    ['numbers', (count) => JSON.stringify(Array(count - 1).fill(1))],
    ['empty objects', (count) => `[ ${'{ },'.repeat(count - 2)} { } ]`],
    ['arrays of one', (count) => `[${'[1],'.repeat(count / 2 - 1)}1]`],
    ['levels', (count) => '['.repeat(count) + ']'.repeat(count)],
    ['equal names', (count) => `{${'"a":"",'.repeat(count - 2)}"a":""}`],
    ['texts like values', (count) => JSON.stringify(Array(count - 1).fill('\\"[1,{}],\\'))],
  ])('has 1,000 values at most: %s', (_, make) => {
    expect(() => read(make(1_000))).not.toThrow()
    expect(() => read(make(1_002))).toThrow(rejected)
    expect(() => read(make(1_002))).toThrow('The body must have at most 1000 values')
  })

  it('one text may be as long as the body, whatever is in it', () => {
    const text = '{[,"\\'.repeat(10_000)
    expect(read(JSON.stringify({ text }))).toEqual({ text })
  })

  it.each([
    ['not UTF-8', [0x22, 0xff, 0x22]],
    ['cut off in the middle of a character', [0x22, 0xc3]],
    ['a surrogate as UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('bytes are rejected that are %s', (_, bytes) => {
    expect(() => parseExactJson(Uint8Array.from(bytes))).toThrow(rejected)
    expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow(rejected)
  })
})
