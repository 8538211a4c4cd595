/** Generated files are up to date. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

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
