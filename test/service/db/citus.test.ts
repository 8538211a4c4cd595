/** What only a distributed database has. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createClusterDatabase, distributeTables } from '../../support/citus.ts'
import { idOf } from '../../support/client.ts'
import { createDirectory } from '../../support/temporary.ts'
import { subscribe } from '../../support/event-stream.ts'
import { type PetPage, recordPages } from '../../support/pet-pages.ts'
import { startProgram } from '../../support/process.ts'
import { CITUS_DIALECT } from '../../unit/support/database.ts'
import { KEY, startService, useService } from '../../support/service.ts'

describe.skipIf(process.env.TEST_DATABASE !== 'citus')('a distributed database', () => {
  const service = useService()

  it.each<[string, string, Partial<PetPage>]>([
    ['all, by id', 'pets_pkey', {}],
    ['a category, by id', 'pets_category_id', { filter: { categoryId: ['7'] } }],
    ['all, by name', 'pets_name', { order: { field: 'NAME', direction: 'ASC' } }],
  ])('reads a page from an index of each shard: %s', async (_, index, page) => {
    await service.clear()
    await service.sql`
      insert into pets (name, category_id, status)
      select md5(i::text), i % 50, (array['available', 'pending', 'sold'])[1 + i % 3]::pet_status
      from generate_series(1, 20000) i`
    await service.sql`analyze pets`
    const [{ text, parameters }] = await recordPages([page], { dialect: CITUS_DIALECT })
    // Citus cannot explain a statement with a parameter of an enum that its plan does without; it runs one.
    const values = parameters.map((value) => (value === null ? 'null' : `'${value}'`))
    const withValues = text.replaceAll(/\$(\d+)/g, (_, number) => values[Number(number) - 1] ?? '')
    const lines = await service.sql.unsafe(`explain ${withValues}`)
    expect(lines.map((line) => String(line['QUERY PLAN'])).join('\n')).toMatch(
      new RegExp(`Index( Only)? Scan( Backward)? using ${index}_\\d+ on pets_\\d+`),
    )
  })

  it('is not served with DATABASE_READ_URL', async () => {
    const env = { DATABASE_URL: service.databaseUrl, DATABASE_READ_URL: service.databaseUrl }
    const program = startProgram(env)
    expect(await program.ended).toBe(1)
    expect(program.stderr.join('\n')).toContain(
      'DATABASE_READ_URL cannot be used with a distributed database',
    )
  })

  it('takes an import, names ids that are taken, and gives the pets back', async () => {
    await service.clear()
    using directory = createDirectory()
    const [file, copy] = [join(directory.path, 'pets.ndjson'), join(directory.path, 'copy.ndjson')]
    const line = (_: unknown, index: number) =>
      `{"id":${1_000_000 + index},"name":"É${index}","categoryId":7}\n`
    writeFileSync(file, Array.from({ length: 10_001 }, line).join(''))
    const run = async (...args: string[]) => {
      const program = startProgram({ DATABASE_URL: service.databaseUrl }, args)
      return [await program.ended, program.stderr.join('\n')]
    }
    expect(await run('import', file, '--keep-ids')).toEqual([
      0,
      expect.stringContaining('Imported 10,001 pets'),
    ])
    expect(await run('import', file, '--keep-ids')).toEqual([
      1,
      expect.stringContaining('line 1: The id 1000000 exists already, or is on an earlier line.'),
    ])
    expect(await run('export', copy)).toEqual([0, expect.stringContaining('Exported 10,001 pets')])
    expect(readFileSync(copy, 'utf8')).toBe(readFileSync(file, 'utf8'))
    expect(Number(idOf(await service.client.createPet({ name: 'Rex', categoryId: 1 })))).toBeGreaterThan(
      1_010_000,
    )
  })

  it('tells subscribers to refetch when a server starts, since its predecessor may have died', async () => {
    const query = 'subscription { petChanged { kind } }'
    const stream = await subscribe(service.url, KEY, query, {})
    onTestFinished(() => stream.abort())
    const other = await startService({ DATABASE_URL: service.databaseUrl })
    onTestFinished(() => other.stop())
    expect(await stream.next()).toBeNull()
  })
})

describe.skipIf(process.env.TEST_DATABASE !== 'citus')('deploy/citus/distribute.sql', () => {
  it('keeps the pets, and runs only while no server does, and only once', async () => {
    const database = await createClusterDatabase(inject('postgresUrl'))
    const sql = database.connect()
    onTestFinished(async () => {
      await sql.end()
      await database.remove()
    })
    const before = await startService({ DATABASE_URL: database.url })
    const create = { headers: { 'idempotency-key': 'k' } }
    const id = idOf(await before.client.createPet({ name: 'Émile', categoryId: 7 }, create))
    await expect(distributeTables(database.url)).rejects.toThrow('Servers are connected')
    await before.stop()

    await distributeTables(database.url)
    await expect(distributeTables(database.url)).rejects.toThrow('distributed already')
    expect(await sql`select from pg_trigger where tgrelid = 'pets'::regclass and not tgisinternal`).toEqual(
      [],
    )

    const after = await startService({ DATABASE_URL: database.url })
    onTestFinished(() => after.stop())
    const found = await after.client.graphql(
      '{ pets(filter: {namePrefix: "éM"}) { nodes { id } totalCount } }',
    )
    expect(found.data).toEqual({ pets: { nodes: [{ id }], totalCount: 1 } })
    expect(idOf(await after.client.createPet({ name: 'Émile', categoryId: 7 }, create))).toBe(id)
  })
})
