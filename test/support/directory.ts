import { afterAll } from 'vitest'
import { createDirectory, TEMPORARY } from './temporary.ts'

/** A new temporary directory for the tests in a file or describe block, which is removed after them. */
export function useDirectory(parent = TEMPORARY): string {
  const directory = createDirectory(parent)
  afterAll(() => directory.remove())
  return directory.path
}
