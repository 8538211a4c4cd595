import { joinPages, planPage } from '../../../src/pets/pet-pages.ts'
import type { PetFilter, PetOrder, PetRange } from '../../../src/pets/pet-range.ts'
import type { TitledStatement } from './sql-snapshot.ts'

/** A part of a range, and its description. */
interface Choice {
  words: string[]
  range?: Omit<Partial<PetRange>, 'filter'>
  filter?: PetFilter
}

/** Everything that determines a range of pets. */
function listChoices(field: PetOrder['field']): Choice[][] {
  const after = { id: '11', nameKey: field === 'NAME' ? 'rea' : null }
  const before = { id: '99', nameKey: field === 'NAME' ? 'rez' : null }
  const none: Choice = { words: [] }
  return [
    (['ASC', 'DESC'] as const).map((direction) => ({
      words: [direction],
      range: { order: { field, direction } },
    })),
    (['start', 'end'] as const).map((from) => ({ words: [`from the ${from}`], range: { from } })),
    [
      none,
      { words: ['a status'], filter: { status: ['sold'] } },
      { words: ['two statuses'], filter: { status: ['sold', 'pending'] } },
    ],
    [
      none,
      { words: ['a category'], filter: { categoryId: ['7'] } },
      { words: ['two categories'], filter: { categoryId: ['7', '8'] } },
    ],
    [
      none,
      { words: ['a prefix'], filter: { keyPrefix: 're' } },
      { words: ['a prefix without an upper end'], filter: { keyPrefix: '\u{10ffff}' } },
    ],
    [none, { words: ['after'], range: { after } }],
    [none, { words: ['before'], range: { before } }],
  ]
}

/** Every combination of the choices. */
function listRanges(field: PetOrder['field']): { title: string; range: PetRange }[] {
  const order = { field, direction: 'ASC' } as const
  let ranges: { words: string[]; range: PetRange }[] = [
    { words: [], range: { filter: {}, order, limit: 21, from: 'start' } },
  ]
  for (const choices of listChoices(field)) {
    ranges = ranges.flatMap(({ words, range }) =>
      choices.map((choice) => ({
        words: [...words, ...choice.words],
        range: { ...range, ...choice.range, filter: { ...range.filter, ...choice.filter } },
      })),
    )
  }
  return ranges.map(({ words, range }) => ({ title: words.join(', '), range }))
}

/** The statements for all shapes of a page, by snapshot file; ranges of one shape share a statement. */
export function listPageStatements(): Map<string, TitledStatement[]> {
  const files = new Map<string, TitledStatement[]>()
  const known = new Set<string>()
  for (const field of ['ID', 'NAME'] as const) {
    for (const { title, range } of listRanges(field)) {
      const plan = planPage(range)
      if (!plan) throw new Error(`There is no statement for ${title}`)
      const statements = { joined: plan.joined && joinPages([plan.joined]), alone: plan.alone() }
      for (const [form, statement] of Object.entries(statements)) {
        if (!statement || known.has(statement.text)) continue
        known.add(statement.text)
        const isMerged = statement.text.includes('combination')
        const file = `list-pets-${isMerged ? 'merged' : form}-by-${field.toLowerCase()}.sql`
        files.set(file, [...(files.get(file) ?? []), { title, statement }])
      }
    }
  }
  return files
}
