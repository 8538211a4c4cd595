/** Generated files are up to date. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { format, resolveConfig } from 'prettier'
import { expect, it, onTestFinished } from 'vitest'
import { printReader } from '../../codegen.ts'
import { crates } from '../unit/support/crates.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

it('`npm run codegen` would change no file', async () => {
  await run(process.execPath, ['codegen.ts', '--check'], { cwd: root })
})

it('`npm run migration` would add no migration', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'pet-store-drizzle-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(join(root, 'drizzle'), copy, { recursive: true })
  const before = readdirSync(copy)
  const kit = join(root, 'node_modules', 'drizzle-kit', 'bin.cjs')
  const options = [
    '--dialect',
    'postgresql',
    '--schema',
    'src/db/postgres/tables.ts',
    '--schema',
    'src/*/table.ts',
    '--out',
    copy,
  ]
  await run(process.execPath, [kit, 'generate', ...options], { cwd: root })
  expect(readdirSync(copy)).toEqual(before)
})

it('the reader of the made-up resource, with which unit tests read rows, is as codegen prints it', async () => {
  const file = join(root, 'test', 'unit', 'support', 'crates-reader.ts')
  const options = { ...(await resolveConfig(file)), filepath: file }
  expect(readFileSync(file, 'utf8')).toContain(await format(printReader('crates', crates), options))
})
