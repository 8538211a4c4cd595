/** Fails when schema.graphql breaks clients of the last release, or of the main branch where nothing has been released. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema } from 'graphql'

const SDL = 'schema/schema.graphql'

/** @returns a sentence for each change between two SDLs that takes from clients what they may rely on */
export async function listBreakingChanges(before: string, after: string): Promise<string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after))
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message)
}

/** What to compare with; null where there is no history to compare with. */
function findBase(): { name: string; sdl: string } | null {
  const head = git('rev-parse', 'HEAD')
  const main = ['origin/main', 'main'].filter((name) => git('rev-parse', name) !== head)
  // On the main branch itself, the commit before.
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
    console.log(`${SDL} is compared with nothing: here is no git history that has it`)
  } else {
    const changes = await listBreakingChanges(base.sdl, readFileSync(SDL, 'utf8'))
    for (const change of changes) console.error(`${SDL} breaks clients of ${base.name}: ${change}`)
    if (changes.length > 0) process.exitCode = 1
  }
}
