import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A new temporary directory for the tests in a file or describe block, which is removed after them. */
export function useDirectory(): string {
  const directory = mkdtempDisposableSync(join(tmpdir(), 'pet-store-'))
  afterAll(() => directory.remove())
  return directory.path
}
