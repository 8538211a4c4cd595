import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecret } from './auth.ts'

/** The secret of the demo key. It is stored in the data directory (mode 0600), so it survives restarts. */
export function loadDemoSecret(directory: string): string {
  const path = join(directory, 'demo-key')
  const stored = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (stored !== '') return stored
  const secret = createSecret()
  // Atomic: the file is written completely or not at all, even if the process ends here.
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return secret
}
