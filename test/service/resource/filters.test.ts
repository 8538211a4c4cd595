/** A filter means the same in SQL, for pages and counts, as for the row of an event: otherwise, live updates go missing without an error. */
import { sql } from 'drizzle-orm'
import { expect, it, onTestFinished } from 'vitest'
import { parseExactJsonText } from '../../../src/base/json.ts'
import { EmbeddedDatabase } from '../../../src/db/embedded/embedded-database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { Pool } from '../../../src/db/postgres/pool/pool.ts'
import { fixedStatement } from '../../../src/db/postgres/statement.ts'
import { eventSourceOf } from '../../../src/resource/events.ts'
import { type FilterInput, matchesFilters, readFilter } from '../../../src/resource/lists/filter-values.ts'
import { toHosts } from '../../support/address.ts'
import { crate, crateList, crateResource, crateStore, emptyCrate, firstPage } from '../../support/crates.ts'
import { createDatabase } from '../../support/database.ts'
import { createFakeDatabase, createRequestData } from '../../unit/support/database.ts'

const { filters } = crateList.description

const stored = [
  crate,
  emptyCrate,
  { ...crate, label: 'BOOKS, old', size: 'large', note: null },
  { ...crate, label: '50%_\\', ownerId: '9223372036854775807', note: '' },
  { ...emptyCrate, label: 'Äpfel', size: 'medium', note: '{"a"}' },
] as const

const cases: FilterInput<typeof filters>[] = [
  {},
  ...([
    { size: [] },
    { size: ['small'] },
    { size: ['small', 'large'] },
    { size: ['medium', 'medium'] },
  ] as const),
  ...[{ ownerId: ['0'] }, { ownerId: ['-7', '9223372036854775807'] }, { ownerId: ['404'] }],
  ...['', 'bo', 'BOOKS,', '50%', '%', '_', '50%_\\', 'ä', 'x'].map((labelPrefix) => ({ labelPrefix })),
  ...['', 'a, "b"\n', '{"a"}', 'A'].map((note) => ({ note })),
  { size: ['small'], ownerId: ['-7'], labelPrefix: 'b', note: crate.note },
]

// On Citus, the table would have to be distributed; its filters are the same.
it.skipIf(process.env.TEST_DATABASE === 'citus')(
  'each filter finds the crates whose events it matches',
  async () => {
    const created = await createDatabase()
    const { DATABASE_URL, DATA_DIR = '' } = created.env
    const database =
      DATABASE_URL === undefined
        ? new EmbeddedDatabase(startEmbeddedPostgres(DATA_DIR), [])
        : new Pool(toHosts(DATABASE_URL), { size: 4 })
    onTestFinished(async () => {
      await database.close()
      await created.remove()
    })
    if (database instanceof EmbeddedDatabase) await database.open()
    const run = (text: string) => database.query(fixedStatement('test', sql.raw(text)))
    await run(`create type crate_size as enum ('small', 'medium', 'large')`)
    await run(`
      create table crates (
        id bigserial primary key, owner_id bigint not null, label varchar(20) not null, size crate_size, note text,
        unit text not null, label_key text collate "C" generated always as (lower(left(label, 500) collate case_folding)) stored
      )`)
    const requestData = createRequestData(createFakeDatabase((statement) => database.query(statement)))
    for (const item of stored) await crateStore.create(requestData, item)
    const written = await run('select to_jsonb(crates)::text from crates order by id')
    const rows = written.map(([row]) =>
      eventSourceOf(crateResource).readRow(parseExactJsonText(row ?? '') as Record<string, unknown>),
    )

    expect(rows.filter((row) => row !== null)).toHaveLength(stored.length)
    for (const input of cases) {
      const filter = await readFilter(filters, input, requestData)
      const listed = await crateList.load(requestData, { ...firstPage, filter })
      const matched = rows.filter((row) => row && matchesFilters(filters, row, filter))
      expect
        .soft(
          listed.map(({ id }) => id),
          JSON.stringify(input),
        )
        .toEqual(matched.map((row) => row?.id))
    }
  },
)
