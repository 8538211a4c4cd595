import type { Statement } from '../../../src/db/postgres/statement.ts'
import { selectPages } from '../../../src/resource/list-pages.ts'
import { type PetFilter, type PetOrder, type PetRange, planPage } from '../../support/pet-range.ts'
import type { TitledStatement } from './sql-snapshot.ts'

/** A part of a range, and its description. */
interface Choice {
  words: string[]
  range?: Omit<Partial<PetRange>, 'filter'>
  filter?: PetFilter
}

/** Everything that determines a range of pets. */
function listChoices(field: PetOrder['field']): Choice[][] {
  const after = { id: '11', sortKey: field === 'NAME' ? 'rea' : null }
  const before = { id: '99', sortKey: field === 'NAME' ? 'rez' : null }
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
      { words: ['a prefix'], filter: { namePrefix: 're' } },
      { words: ['a prefix without an upper end'], filter: { namePrefix: '\u{10ffff}' } },
    ],
    [none, { words: ['after'], range: { after } }],
    [none, { words: ['before'], range: { before } }],
  ]
}

/** Every combination of the choices. */
function listRanges(field: PetOrder['field']): { words: string[]; range: PetRange }[] {
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
  return ranges
}

/** A shape of a page: in which file it belongs, when it is used, and its statement. */
interface Shape {
  file: string
  field: PetOrder['field']
  words: string[]
  statement: Statement
}

/** All shapes of a page; ranges of one shape share a statement. */
function listShapes(): Shape[] {
  const shapes = new Map<string, Shape>()
  for (const field of ['ID', 'NAME'] as const) {
    for (const { words, range } of listRanges(field)) {
      const plan = planPage(range)
      if (!plan) throw new Error(`There is no statement for ${words.join(', ')}`)
      const statements = { batched: plan.batched && selectPages([plan.batched]), single: plan.single() }
      for (const [form, statement] of Object.entries(statements)) {
        if (!statement || shapes.has(statement.text)) continue
        const isMerged = statement.text.includes('combination')
        const file = `list-pets-${isMerged ? 'merged' : form}-by-${field.toLowerCase()}.sql`
        shapes.set(statement.text, { file, field, words, statement })
      }
    }
  }
  return [...shapes.values()]
}

/**
 * Statements for some thirty of the few hundred shapes of a page.
 * @returns by file, its first shape, those that show what a choice does that no earlier file of the order shows, and the one with most
 *   choices
 */
export function listPageStatements(): [file: string, statements: TitledStatement[]][] {
  const files: [string, TitledStatement[]][] = []
  const shown = new Set<string>()
  for (const [file, shapes] of Map.groupBy(listShapes(), ({ file }) => file)) {
    const longest = Math.max(...shapes.map(({ words }) => words.length))
    const last = shapes.findLast(({ words }) => words.length === longest)
    const chosen: TitledStatement[] = []
    for (const shape of shapes) {
      const { field, words, statement } = shape
      const title = words.join(', ')
      const choices = words.map((word) => `${field} ${word}`)
      const isNew = choices.some((choice) => !shown.has(choice))
      if (isNew || shape === shapes[0] || shape === last) chosen.push({ title, statement })
      for (const choice of choices) shown.add(choice)
    }
    files.push([file, chosen])
  }
  return files
}
