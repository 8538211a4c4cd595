/** Fails if schema.graphql breaks clients of the last release or, before the first release, of the main branch. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { BreakingChangeType, buildSchema, findSchemaChanges } from 'graphql'

const SDL = 'schema/schema.graphql'

/** @returns one sentence for each breaking change between two SDLs */
export function listBreakingChanges(before: string, after: string): string[] {
  return findSchemaChanges(buildSchema(before), buildSchema(after))
    .filter(({ type }) => Object.hasOwn(BreakingChangeType, type))
    .map(({ description }) => description)
}

/** The version to compare with; null if there is no git history. */
function findBase(): { name: string; sdl: string } | null {
  const head = git('rev-parse', 'HEAD')
  const main = ['origin/main', 'main'].filter((name) => git('rev-parse', name) !== head)
  // On the main branch itself, the previous commit.
  const names = [git('describe', '--tags', '--abbrev=0'), ...main, 'HEAD~1']
  for (const name of names) {
    const sdl = name && git('show', `${name}:${SDL}`)
    if (sdl) return { name, sdl }
  }
  return null
}

function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

if (import.meta.main) {
  const base = findBase()
  if (!base) {
    console.log(`${SDL} was not compared: no git history contains it`)
  } else {
    const changes = listBreakingChanges(base.sdl, readFileSync(SDL, 'utf8'))
    for (const change of changes) console.error(`${SDL} breaks clients of ${base.name}: ${change}`)
    if (changes.length > 0) process.exitCode = 1
  }
}
