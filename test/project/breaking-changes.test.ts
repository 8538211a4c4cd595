import { expect, it } from 'vitest'
import { listBreakingChanges } from '../../scripts/breaking-changes.ts'

const sdl = 'type Query { pets(first: Int): Int! status: Status } enum Status { available sold }'

it.each([
  ['a removed field', 'status: Status', ''],
  ['a field that may now be null', 'Int!', 'Int'],
  ['an argument that is now required', 'first: Int', 'first: Int!'],
  ['a removed enum value', 'available sold', 'sold'],
])('%s breaks clients', (_, part, replacement) => {
  expect(listBreakingChanges(sdl, sdl.replace(part, replacement))).toHaveLength(1)
})

it.each([
  ['a new field', 'type Query {', 'type Query { age: Int'],
  ['a new optional argument', 'first: Int', 'first: Int, last: Int'],
])('%s breaks no client', (_, part, replacement) => {
  expect(listBreakingChanges(sdl, sdl.replace(part, replacement))).toEqual([])
})
