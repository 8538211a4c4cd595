/** GraphQL requests that are cheap to send, and invalid in many places or with long texts. */

/** @returns texts, one after the other */
export const many = (count: number, text: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => text(index)).join(between)
/** A document with a variable. */
export const FILTERED = 'query ($f: PetFilter) { pets(filter: $f, first: 1) { totalCount } }'
export const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, i]))

export interface SentRequest {
  query: string
  variables?: object
  operationName?: string
}

export const INVALID_REQUESTS: Record<string, SentRequest> = {
  'unknown fields of a literal': {
    query: `{ pets(filter: {${many(640, (i) => `a${i}: 1`)}}) { totalCount } }`,
  },
  'unknown fields of literals in a list': {
    query: `{ pets(filter: [${many(300, (i) => `{a${i}: 1}`)}]) { totalCount } }`,
  },
  'unknown enum values': {
    query: `{ pets(filter: {status: [${many(1_900, (i) => `a${i}`)}]}) { totalCount } }`,
  },
  'lists in lists': {
    query: `{ pets(filter: {status: ${'['.repeat(5)}${']'.repeat(5)}}) { totalCount } }`,
  },
  'unknown fields of a type': { query: `{ pet(id: 1) { ${many(1_900, (i) => `name${i}`)} } }` },
  'unknown arguments': { query: `{ pets(${many(600, (i) => `a${i}: 1`)}) { totalCount } }` },
  'unknown directives': { query: `{ pet(id: 1) { id ${many(900, (i) => `@a${i}`)} } }` },
  'unknown fragments': { query: `{ pet(id: 1) { ${many(900, (i) => `...a${i}`)} } }` },
  'unknown types of variables': {
    query: `query (${many(450, (i) => `$a${i}: A${i}`)}) { pets { totalCount } }`,
  },
  'a variable that is declared many times': {
    query: `query (${many(450, () => '$a: Int')}) { pets(first: $a) { totalCount } }`,
  },
  'invalid defaults': { query: `query (${many(330, (i) => `$a${i}: Int = x`)}) { pets { totalCount } }` },
  'aliases in conflict': { query: `{ ${many(150, (i) => `a: pets(first: ${i + 1}) { totalCount }`)} }` },
  'fragments in a circle': {
    query: `{ ...f0 } ${many(5, (i) => `fragment f${i} on Query { ...f${(i + 1) % 5} }`)}`,
  },
  'operations with one name': { query: many(280, () => 'query a { __typename }'), operationName: 'a' },
  'a long name': { query: `{ ${'x'.repeat(16_000)} }` },
  'a long string': { query: `{ pets(first: "${'x'.repeat(16_000)}") { totalCount } }` },
  'unknown fields of a variable': { query: FILTERED, variables: { f: unknownFields(990) } },
  'long names of fields in a variable': {
    query: FILTERED,
    variables: { f: { ['\u0001'.repeat(10_000)]: 1 } },
  },
  'unknown enum values in a variable': {
    query: FILTERED,
    variables: { f: { status: Array(990).fill('x'.repeat(50)) } },
  },
  'a long enum value in a variable': {
    query: FILTERED,
    variables: { f: { status: ['\u0001'.repeat(10_000)] } },
  },
  'missing variables': {
    query: `query (${many(300, (i) => `$a${i}: Int!`)}) { ${many(30, (i) => `a${i}: pets(first: $a${i}) { totalCount }`)} }`,
  },
}
