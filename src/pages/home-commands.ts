/** The commands on the home page: examples for curl. Their HTML has what assets/commands.js looks for. */
import { GRAPHQL_PATH, REST_PREFIX, SDL_PATH } from '../http/known-paths.ts'
import { renderFile } from './render-page.ts'
import { escapeHtml } from './template.ts'

/** Where a command leads to. */
const TARGETS = { rest: REST_PREFIX, graphql: GRAPHQL_PATH, schema: SDL_PATH }

/** A request of curl, with an API key. Its texts are HTML, in which a script may find elements of its own. */
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
  /** Further options of curl, a line each; they follow the key. */
  options?: readonly string[]
}

/**
 * @param origin the address of this server; empty: the page's script fills in the one that the browser knows
 * @returns the tabs and the commands, of which the first is shown
 */
export function renderCommands(
  commands: readonly Command[],
  origin: string,
): { tabs: string; panels: string } {
  const idOf = ({ name }: Command) => name.toLowerCase()
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
      origin: escapeHtml(escapeQuotes(origin)),
      path: TARGETS[target] + path,
      options: options.map((option) => ` \\\n  ${option}`).join(''),
    })
  })
  return { tabs: tabs.join(''), panels: panels.join('') }
}

/** @returns what stands for a text in a shell's single quotes; assets/commands.js has the same for the browser's address */
const escapeQuotes = (text: string) => text.replaceAll(`'`, String.raw`'\''`)
