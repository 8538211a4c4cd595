/** drizzle-kit, as those who know it use it. */
import { execFile } from 'node:child_process'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import drizzle from '../../drizzle.config.ts'
import { useDirectory } from '../support/directory.ts'
import { startPostgres } from '../support/postgres.ts'
import { ROOT } from '../support/process.ts'

const copy = useDirectory()
const run = promisify(execFile)
const kit = join(ROOT, 'node_modules', '.bin', 'drizzle-kit')

it('`npm run migration` would add no migration', async () => {
  cpSync(join(ROOT, 'drizzle'), copy, { recursive: true })
  const before = readdirSync(copy)
  const config = join(copy, 'drizzle.config.json')
  writeFileSync(config, JSON.stringify({ ...drizzle, out: copy }))
  await run(kit, ['generate', '--config', config], { cwd: ROOT })
  expect(readdirSync(copy)).toEqual([...before, 'drizzle.config.json'].sort())
  await run(kit, ['check'], { cwd: ROOT })
})

it('`npx drizzle-kit migrate` makes a database that the server finds up to date', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const env = { PATH: process.env.PATH, DATABASE_URL: postgres.url }
  await run(kit, ['migrate'], { cwd: ROOT, env })
  const { stderr } = await run(process.execPath, ['src/main.ts', 'migrate'], {
    cwd: ROOT,
    env: { ...env, MIGRATE_ON_START: 'false' },
  })
  expect(stderr).toContain('The database is up to date.')
})
