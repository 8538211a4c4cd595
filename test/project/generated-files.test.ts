/** Generated files are up to date. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

it('`npm run codegen` would change no file', async () => {
  await run(process.execPath, ['codegen.ts', '--check'], { cwd: root })
})
