/** The commands on the home page: examples for curl. Their HTML has what assets/commands.js looks for. */
import { renderFile } from './page.ts'

/** A request of curl, with an API key. Its texts are HTML, in which a script may find elements of its own. */
export interface Command {
  /** The word on its tab, unique; in lower case, its id. */
  name: string
  /** What it does. */
  title: string
  /** Whether it needs a key that writes. */
  changes?: boolean
  /** The path and the query, from the top of the server. */
  path: string
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
  const render = (file: string) =>
    commands.map(({ name, title, changes, path, options = [] }, index) =>
      renderFile(file, {
        id: name.toLowerCase(),
        name,
        title,
        changes: changes ? 'data-changes' : '',
        hidden: index === 0 ? '' : 'hidden',
        origin,
        path,
        options: options.map((option) => ` \\\n  ${option}`).join(''),
      }),
    )
  return { tabs: render('command-tab.html').join(''), panels: render('command.html').join('') }
}
