import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/process.ts'

/** Copies files and folders of the project, of which nothing is built, to a new directory, which has the packages of this one. */
export function copyProject(copy: string, entries: readonly string[]): string {
  mkdirSync(copy)
  const filter = (source: string) => !source.endsWith('node_modules')
  for (const entry of entries) cpSync(join(ROOT, entry), join(copy, entry), { recursive: true, filter })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  // Making a new database takes most of the time of a build; the container image is tested with one that it makes itself.
  for (const file of ['new-database.tar.zst', 'new-database.tar.zst.sha256'])
    cpSync(join(ROOT, 'dist', file), join(copy, 'dist', file))
  return copy
}
