import { readArray } from './arrays.ts'
import { createBatch } from './batch.ts'
import type { Database } from './connect.ts'
import { nameKeyOf } from './name-key.ts'
import { type Pet, readStatus, readText } from './pet.ts'
import type { PetFilter, PetPosition, PetRange } from './pet-range.ts'
import { selectCount, selectPage } from './select-pets.ts'
import { joinQueries, type Query, type TextRow } from './statement.ts'

/** An animal, and where it stands in the list. */
export type ListedPet = Pet & PetPosition

/** The animals of a stretch, in the list's order, whichever end they are counted from. */
export async function listPets(database: Database, range: PetRange): Promise<ListedPet[]> {
  const query = selectPage(range)
  if (query === null) return []
  const page = query.comesAgain
    ? await runJoined(database, query)
    : (await database.run(() => database.query(query)))[0]
  const listed = readPage(page ?? [])
  return range.from === 'start' ? listed : listed.reverse()
}

/** Pages of one kind that are asked for in one turn of the event loop are one statement. */
const runJoined = createBatch<Query, TextRow | undefined>(
  async (database, queries) => {
    const rows = await database.query(joinQueries(queries))
    const pages = new Map(rows.map((row) => [row.pop(), row]))
    return queries.map((_, index) => pages.get(String(index + 1)))
  },
  { maximum: 16, kindOf: ({ text }) => text },
)

/** How many animals a filter lets pass. */
export async function countPets(database: Database, filter: PetFilter): Promise<number> {
  const [[total] = []] = await database.run(() => database.query(selectCount(filter)))
  return Number(total)
}

/** What the keys of names that start like this start like; of at most NAME_KEY_LENGTH characters. */
export async function foldName(database: Database, name: string): Promise<string> {
  const statement = { text: `select ${nameKeyOf('$1::text')}`, parameters: [name], comesAgain: true }
  const [[key] = []] = await database.run(() => database.query(statement))
  if (key == null) throw new Error('SELECT without FROM returned no row')
  return key
}

function readPage(columns: TextRow): ListedPet[] {
  const [ids = [], names = [], categories = [], statuses = [], nameKeys = []] = columns.map(readArray)
  return ids.map((id, index) => {
    // At once: what is made twice for every animal of every page keeps the garbage collector busy.
    return {
      id: readText(id),
      name: readText(names[index]),
      categoryId: readText(categories[index]),
      status: readStatus(statuses[index]),
      nameKey: nameKeys[index] ?? null,
    }
  })
}
