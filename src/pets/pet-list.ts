import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { nameKeyOf, rangeOfPrefix } from './name-key.ts'
import { type Pet, readPet, readStatus, requireText } from './pet.ts'
import { MAX_JOINED_NAME } from './pet-page-sql.ts'
import { joinPages, type JoinablePage, type PagePlan } from './pet-pages.ts'
import type { PetFilter, PetPosition, PetRange } from './pet-range.ts'
import { readArray } from '../db/postgres/arrays.ts'
import { createBatch } from '../db/postgres/batch.ts'
import { buildStatement, parameter, type StatementTemplate, type TextRow } from '../db/postgres/statement.ts'
import type { Session } from '../db/session.ts'
import { pets, petStatus } from '../db/tables.ts'

/** A pet and its position in the list. */
export type ListedPet = Pet & PetPosition

/** The pets of a range, in list order, no matter which end they are counted from. */
export async function listPets(session: Session, range: PetRange): Promise<ListedPet[]> {
  const plan = session.database.dialect.planPage(range)
  if (plan === null) return []
  const listed = plan.hasRows ? await loadRows(session, plan) : readPage(await loadPage(session, plan))
  return range.from === 'start' ? listed : listed.reverse()
}

async function loadPage(session: Session, { joined, alone }: PagePlan): Promise<TextRow> {
  const [page = []] = joined ? [await loadJoined(session.queryable, joined)] : await session.query(alone())
  session.memory.holdData(Number(page[0] ?? 0))
  return joined && hasCutNames(page) ? ((await session.query(alone()))[0] ?? []) : page
}

/** Whether a name was too long for a statement that loads several pages. */
function hasCutNames([size, , names]: TextRow): boolean {
  return Number(size) > MAX_JOINED_NAME && readArray(names).includes(null)
}

const loadJoined = createBatch<JoinablePage, TextRow | undefined>(
  async (database, pages) => {
    const rows = await database.query(joinPages(pages), { callers: pages.length })
    const found = new Map(rows.map((row) => [row.pop(), row]))
    return pages.map((_, index) => found.get(String(index + 1)))
  },
  { maximum: 16, keyOf: ({ template }) => template },
)

function readPage([, ...columns]: TextRow): ListedPet[] {
  const [ids = [], names = [], categories = [], statuses = [], nameKeys = []] = columns.map(readArray)
  return ids.map((id, index) => {
    // One object per pet, not two, since lists cause most of the garbage.
    return {
      id: requireText(id),
      name: requireText(names[index]),
      categoryId: requireText(categories[index]),
      status: readStatus(statuses[index]),
      nameKey: nameKeys[index] ?? null,
    }
  })
}

async function loadRows(session: Session, { alone }: PagePlan): Promise<ListedPet[]> {
  const rows = await session.query(alone())
  session.memory.holdData(rows.reduce((bytes, [, name]) => bytes + Buffer.byteLength(name ?? ''), 0))
  return rows.map(([id, name, categoryId, status, nameKey = null]) => ({
    ...readPet(id, name, categoryId, status),
    nameKey,
  }))
}

/** The key of a name or of a prefix of at most NAME_KEY_LENGTH characters. Postgres folds its case. */
export function toNameKey({ queryable }: Session, name: string): Promise<string> {
  return foldInBatch(queryable, name)
}

const selectNameKeys = buildStatement<'names'>(
  'nameKeys',
  sql`
    select ${nameKeyOf(sql.raw('name'))} from unnest(${parameter('names', 'text[]')}) with ordinality as request (name, number)
    order by number`,
)

const foldInBatch = createBatch<string, string>(async (database, names) => {
  const statement = selectNameKeys.with({ names: makePgArray([...names]) })
  const rows = await database.query(statement, { callers: names.length })
  return rows.map(([key]) => requireText(key))
})

/** The number of pets that match a filter. */
export async function countPets(session: Session, filter: PetFilter): Promise<number> {
  const { low, high } = rangeOfPrefix(filter.keyPrefix)
  const statement = countTemplateOf(filter, session.database.dialect.nameKey).with({
    status: filter.status ? makePgArray([...filter.status]) : null,
    categoryId: filter.categoryId ? makePgArray([...filter.categoryId]) : null,
    lowKey: low ?? null,
    highKey: high ?? null,
  })
  const [[total] = []] = await session.query(statement)
  return Number(total)
}

type CountValue = 'status' | 'categoryId' | 'lowKey' | 'highKey'
/** By the dialect's name key and the conditions. */
const counts = new Map<SQL, Map<string, StatementTemplate<CountValue>>>()

function countTemplateOf(filter: PetFilter, nameKey: SQL): StatementTemplate<CountValue> {
  const { status, categoryId, keyPrefix } = filter
  const { low, high } = rangeOfPrefix(keyPrefix)
  const key = [status, categoryId, low, high].map((value) => value !== undefined).join()
  const templates = counts.get(nameKey) ?? new Map<string, StatementTemplate<CountValue>>()
  counts.set(nameKey, templates)
  const known = templates.get(key)
  if (known) return known
  const where = and(
    status && sql`${pets.status} = any(${parameter('status', `${petStatus.enumName}[]`)})`,
    categoryId && sql`${pets.categoryId} = any(${parameter('categoryId', 'bigint[]')})`,
    low === undefined ? low : sql`${nameKey} >= ${parameter('lowKey', 'text')}`,
    high === undefined ? high : sql`${nameKey} < ${parameter('highKey', 'text')}`,
  )
  const query = sql`select count(*) from ${pets}${where ? sql` where ${where}` : sql``}`
  // The best plan depends on the values.
  const template = buildStatement<CountValue>('countPets', query, { prepare: false })
  templates.set(key, template)
  return template
}
