import { execFile } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import drizzle from '../../drizzle.config.ts'
import { useDirectory } from '../support/directory.ts'
import { ROOT } from '../support/process.ts'

const copy = useDirectory()

it('`npm run migration` would add no migration', async () => {
  cpSync(join(ROOT, drizzle.out), copy, { recursive: true })
  const before = readdirSync(copy)
  const kit = join(import.meta.dirname, 'node_modules', 'drizzle-kit', 'bin.cjs')
  const schemas = drizzle.schema.flatMap((schema) => ['--schema', schema])
  const args = [kit, 'generate', '--dialect', drizzle.dialect, ...schemas, '--out', copy]
  await promisify(execFile)(process.execPath, args, { cwd: ROOT })
  expect(readdirSync(copy)).toEqual(before)
})
