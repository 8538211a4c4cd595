/**
 * What the conformance test knows of the fields and filters of a pet. It is written down here a second time, apart from the code, so
 * that a field that the code forgets somewhere is missed.
 */
import type { Pet as ProgramPet } from '../../src/pets/pet-resource.ts'

/** A pet whose integers are digits. */
export type Pet = { [Name in keyof ProgramPet]: Digits<ProgramPet[Name]> }
type Digits<Value> = Value extends number ? string : Value

/** The scalar types, and a value of each in the two APIs. Here, an integer is its digits. */
export const kinds = {
  id: { graphqlType: 'ID', toJson: BigInt, toGraphql: (text: string) => text },
  int64: { graphqlType: 'Int64', toJson: BigInt, toGraphql: (text: string) => text },
  int32: { graphqlType: 'Int', toJson: BigInt, toGraphql: Number },
  text: { graphqlType: 'String', toJson: (text: string) => text, toGraphql: (text: string) => text },
  status: { graphqlType: 'PetStatus', toJson: (text: string) => text, toGraphql: (text: string) => text },
} satisfies Record<string, Kind>

interface Kind {
  graphqlType: string
  /** As in parsed exact JSON: in the REST API and in NDJSON. */
  toJson: (text: string) => unknown
  toGraphql: (text: string) => unknown
}

export interface Field<Value extends string | null> {
  /** Its column in Postgres; its name is the same everywhere else. */
  column: string
  kind: keyof typeof kinds
  /** Whether the client sets it, or the service. */
  isSent: boolean
  /** Whether it is never null. */
  isRequired: boolean
  /** At least two. The first is the usual one. */
  values: readonly [Value, Value, ...Value[]]
  /** JSON that is no valid value in either API, nor in NDJSON. */
  invalid: readonly string[]
}

export const fields: { [Name in keyof Pet]: Field<Pet[Name]> } = {
  id: {
    column: 'id',
    kind: 'id',
    isSent: false,
    isRequired: true,
    // The fourth is the greatest one that an import keeps.
    values: ['1', '9007199254740993', '-9007199254740993', '9223371036854775807', '-9223372036854775808'],
    invalid: [],
  },
  name: {
    column: 'name',
    kind: 'text',
    isSent: true,
    isRequired: true,
    values: [
      'Rex',
      '',
      ' a ',
      '"a",\\N\r\n\t=1+1',
      'Émile 🐕 \u2028 a\u{10ffff}',
      'null',
      'é'.repeat(998) + '🐕🐕',
    ],
    invalid: ['7', '["Rex"]', '"a\\u0000b"', '"\\ud800"', `"${'é'.repeat(1_001)}"`],
  },
  categoryId: {
    column: 'category_id',
    kind: 'int64',
    isSent: true,
    isRequired: true,
    values: ['7', '0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
    invalid: ['9223372036854775808', '1.5', '"seven"', 'true'],
  },
  status: {
    column: 'status',
    kind: 'status',
    isSent: true,
    isRequired: false,
    values: ['sold', 'available', null, 'pending'],
    invalid: ['"lost"', '"SOLD"', '""', '7'],
  },
}

export type FieldName = keyof Pet

export const fieldNames = Object.keys(fields) as FieldName[]
export const sentNames = fieldNames.filter((name) => fields[name].isSent)

/** A pet with the usual value of each field. */
export const usualPet: Pet = {
  id: fields.id.values[0],
  name: fields.name.values[0],
  categoryId: fields.categoryId.values[0],
  status: fields.status.values[0],
}

export function withValue(pet: Pet, name: FieldName, value: string | null): Pet {
  return { ...pet, [name]: value }
}

/** The usual pet, without the fields that may be null. */
export const barePet: Pet = fieldNames
  .filter((name) => !fields[name].isRequired)
  .reduce((pet, name) => withValue(pet, name, null), usualPet)

/** For each value of each field, the usual pet with this value. */
export const samplePets: readonly Pet[] = fieldNames.flatMap((name) =>
  fields[name].values.map((value) => withValue(usualPet, name, value)),
)

/** As in parsed exact JSON of the REST API or of NDJSON: a field that is not set is left out. */
export function toJsonPet(pet: Pet, names: readonly FieldName[] = fieldNames): Record<string, unknown> {
  const set = names.filter((name) => pet[name] !== null)
  return Object.fromEntries(set.map((name) => [name, kinds[fields[name].kind].toJson(pet[name] ?? '')]))
}

/** The JSON itself, with every digit. */
export function toJsonText(pet: Pet, names: readonly FieldName[] = fieldNames): string {
  const values = Object.entries(toJsonPet(pet, names)).map(
    ([name, value]) => `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
  )
  return `{${values.join()}}`
}

/** As in the GraphQL API, in inputs and results. */
export function toGraphqlPet(pet: Pet, names: readonly FieldName[] = fieldNames): Record<string, unknown> {
  const valueOf = (name: FieldName, text: string | null) =>
    text === null ? null : kinds[fields[name].kind].toGraphql(text)
  return Object.fromEntries(names.map((name) => [name, valueOf(name, pet[name])]))
}

/** A record of a CSV file: every text in quotes. */
export function toCsvRecord(pet: Pet, names: readonly FieldName[]): string {
  const quote = (text: string | null) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`)
  return names.map((name) => quote(pet[name])).join()
}

export interface Filter {
  status?: readonly Pet['status'][]
  categoryId?: readonly string[]
  namePrefix?: string
}

interface FilterDeclaration<Input> {
  /** At least one of them tells `variedPets` apart. */
  inputs: readonly Input[]
  /** Values of the query parameter of this name in the REST API, and what they mean; empty: there is none. */
  inRest: readonly [value: string, input: Input][]
}

export const filters: { [Name in keyof Filter]-?: FilterDeclaration<Required<Filter>[Name]> } = {
  status: {
    inputs: [['sold'], ['available', 'pending', 'available'], []],
    inRest: [
      ['sold', ['sold']],
      ['available', ['available']],
    ],
  },
  categoryId: { inputs: [['7'], ['-1', '9223372036854775807', '404']], inRest: [] },
  namePrefix: { inputs: ['RE', 'é', '_'], inRest: [] },
}

export const filterNames = Object.keys(filters) as (keyof Filter)[]

/** Every combination of the inputs, and of filters that are not given. */
export const filterCombinations: readonly Filter[] = filterNames.reduce<Filter[]>(
  (found, name) =>
    found.flatMap((filter) => [
      filter,
      ...filters[name].inputs.map((input) => ({ ...filter, [name]: input })),
    ]),
  [{}],
)

const varied: [name: string, categoryId: string, status: Pet['status']][] = [
  ['Rex', '7', 'sold'],
  ['rexa', '-1', 'available'],
  ['Émile', '7', null],
  ['emile', '9223372036854775807', 'sold'],
  ['_', '8', 'pending'],
  ['éva', '-1', 'sold'],
  ['Re', '9223372036854775807', null],
  ['Max', '8', 'available'],
]

/** Pets that the filters tell apart, whose ids count from 1. */
export const variedPets: readonly Pet[] = varied.map(([name, categoryId, status], index) => ({
  id: String(index + 1),
  name,
  categoryId,
  status,
}))
