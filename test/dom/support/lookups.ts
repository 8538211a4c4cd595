/** What the scripts of a page look for in its HTML. */
import { readFileSync } from 'node:fs'

const SOURCES = new URL('../../../src/', import.meta.url)

/** The ways to look for something: the functions of dom.js, with the name that each is given. */
const LOOKUPS: [call: RegExp, toSelectors: (name: string) => string[]][] = [
  [/\b(?:byId|findById)\('([^']+)'/g, (id) => [`#${id}`]],
  [/\bnamedBy\([^,()]+, '([^']+)'/g, (attribute) => [`[${attribute}]`, ...idsIn(attribute)]],
  [/\ballWith\('([^']+)'/g, (name) => [`[data-${name}]`]],
  [/\btextOf\([^,()]+, '([^']+)'/g, (name) => [`[name="${name}"]`]],
]

/** The selectors of the ids that an attribute has in the document. */
const idsIn = (attribute: string) =>
  Array.from(
    document.querySelectorAll(`[${attribute}]`),
    (element) => `#${element.getAttribute(attribute) ?? ''}`,
  )

/** @param html of the page in the document, with its script elements @returns the selectors of all that its scripts look for, each once */
export function selectorsFor(html: string): string[] {
  const scripts = Array.from(
    html.matchAll(/<script type="module" src="\.\/files\/([^"]+)"/g),
    ([, file = '']) => read(new URL(file, SOURCES)),
  ).flat()
  const selectors = LOOKUPS.flatMap(([call, toSelectors]) =>
    scripts.flatMap((script) =>
      Array.from(script.matchAll(call), ([, name = '']) => toSelectors(name)).flat(),
    ),
  )
  return [...new Set(selectors)]
}

/** @returns the texts of a script and of all that it imports */
function read(file: URL, found = new Set<string>()): string[] {
  if (found.has(file.href)) return []
  found.add(file.href)
  const script = readFileSync(file, 'utf8')
  const imported = script.matchAll(/^import [^'(]*'(\.[^']+\.js)'/gm)
  return [script, ...Array.from(imported, ([, path = '']) => read(new URL(path, file), found)).flat()]
}
