import { expect, it } from 'vitest'
import { valuesOf } from '../../../src/http/headers.ts'

it.each([
  ['one', ['Host', 'a.example', 'Accept', '*/*'], ['a.example']],
  [
    'several, in any case and in order',
    ['host', 'a', 'X', 'host', 'HOST', 'b', 'Host', 'c'],
    ['a', 'b', 'c'],
  ],
  ['an empty one', ['Host', ''], ['']],
  ['none, if only a value has that name', ['X', 'host'], []],
  ['none without headers', [], []],
])('the values of a header: %s', (_, rawHeaders, expected) => {
  expect(valuesOf({ rawHeaders }, 'host')).toEqual(expected)
})
