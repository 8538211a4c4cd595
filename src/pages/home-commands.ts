/** The commands on the home page: examples for curl, which assets/home/commands.js completes. */
import { GRAPHQL_PATH, REST_PREFIX, SDL_PATH } from '../http/known-paths.ts'
import { escapeQuotes } from './assets/home/shell-quotes.js'
import { renderFile } from './render-page.ts'
import { type Html, renderTemplate } from './template.ts'

/** Where a command leads to. */
const TARGETS = { rest: REST_PREFIX, graphql: GRAPHQL_PATH, schema: SDL_PATH }

/**
 * A request of curl, with an API key. In `path` and `options`, a part between ‹ and › is for the filter of the list on the page: it is
 * left out until a script of the list shows it, with the value of the filter in place of the star.
 */
export interface Command {
  /** The word on its tab, unique; in lower case, its id. */
  name: string
  /** What it does. */
  title: string
  /** Whether it needs a key that writes. */
  changes?: boolean
  target: keyof typeof TARGETS
  /** What follows the target's path: a path below it, and a query. */
  path?: string
  /** Further options of curl, a line each, as in a shell; they follow the key. */
  options?: readonly string[]
}

/**
 * @param origin the address of this server; empty: the page's script fills in the one that the browser knows
 * @returns the tabs and the commands, of which the first is shown
 * @throws Error if a name is not a word, or not unique
 */
export function renderCommands(
  commands: readonly Command[],
  origin: string,
): { tabs: Html[]; panels: Html[] } {
  throwIfNamedAlike(commands)
  // Words of a tag are values, since Prettier takes no section inside a tag.
  const tabs = commands.map((command) => {
    const { name, changes } = command
    return renderFile('command-tab', { id: idOf(command), name, changes: changes ? 'data-changes' : '' })
  })
  const panels = commands.map((command, index) => {
    const { title, target, path = '', options = [] } = command
    return renderFile('command', {
      id: idOf(command),
      title,
      hidden: index === 0 ? '' : 'hidden',
      origin: escapeQuotes(origin),
      path: markFiltered(TARGETS[target] + path),
      options: markFiltered(options.map((option) => ` \\\n  ${option}`).join('')),
    })
  })
  return { tabs, panels }
}

/** @throws Error for a name that is not a word: it would be no id */
function idOf({ name }: Command): string {
  if (!/^\w+$/.test(name)) throw new Error(`The name of a command must be a word: ${name}`)
  return name.toLowerCase()
}

/** @throws Error if two have the same id */
function throwIfNamedAlike(commands: readonly Command[]): void {
  const ids = commands.map(idOf)
  const repeated = ids.find((id, index) => ids.indexOf(id) < index)
  if (repeated !== undefined) throw new Error(`Two commands have the name ${repeated}.`)
}

/** @returns a text of a command, with an empty element for each part that depends on the filter */
const markFiltered = (text: string): (string | Html)[] =>
  // By the group in the pattern, each second piece is such a part.
  text
    .split(/‹([^›]*)›/)
    .map((piece, index) =>
      index % 2 === 0 ? piece : renderTemplate('<span data-filter="{{piece}}"></span>', { piece }),
    )
