import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A new temporary directory for the tests of a file or of a describe block; it is removed after them. */
export function useDirectory(): string {
  const directory = mkdtempDisposableSync(join(tmpdir(), 'pet-store-'))
  afterAll(() => directory.remove())
  return directory.path
}
