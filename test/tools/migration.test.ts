import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import drizzle from '../../drizzle.config.ts'
import { ROOT } from '../support/process.ts'

it('`npm run migration` would add no migration', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'pet-store-drizzle-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(join(ROOT, drizzle.out), copy, { recursive: true })
  const before = readdirSync(copy)
  const kit = join(import.meta.dirname, 'node_modules', 'drizzle-kit', 'bin.cjs')
  const schemas = drizzle.schema.flatMap((schema) => ['--schema', schema])
  const args = [kit, 'generate', '--dialect', drizzle.dialect, ...schemas, '--out', copy]
  await promisify(execFile)(process.execPath, args, { cwd: ROOT })
  expect(readdirSync(copy)).toEqual(before)
})
