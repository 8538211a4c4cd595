import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecret } from './auth.ts'
import type { ApiKeyEntry } from './key-entry.ts'

/** The demo's two keys: one that may do everything, and one for pages in browsers, which only reads. */
export interface DemoKeys {
  write: ApiKeyEntry
  read: ApiKeyEntry
}

/** Each secret is stored in the data directory (mode 0600), so it survives restarts. */
export function loadDemoKeys(directory: string): DemoKeys {
  return {
    write: { name: 'demo', scope: 'write', secret: loadSecret(directory, 'demo-key') },
    read: { name: 'demo-read', scope: 'read', secret: loadSecret(directory, 'demo-read-key') },
  }
}

function loadSecret(directory: string, file: string): string {
  const path = join(directory, file)
  const stored = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (stored !== '') return stored
  const secret = createSecret()
  // Atomic: the file is written completely or not at all, even if the process ends here.
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return secret
}
