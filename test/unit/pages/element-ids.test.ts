import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { idsIn } from '../../support/pages.ts'

const readAll = (pattern: string) =>
  globSync(join(import.meta.dirname, '../../../src', pattern)).map((file) => readFileSync(file, 'utf8'))
/** Of this folder alone: it relies on nothing that a resource must have. */
const html = readAll('pages/html/*.html').join('')
const scripts = readAll('pages/assets/*.js')

it.each(idsIn(scripts))('a page has the element #%s, which a script looks for', (id) => {
  expect(html).toContain(` id="${id}"`)
})

it('a page has an element with each class that the script of the commands looks for', () => {
  const [script = ''] = readAll('pages/assets/commands.js')
  const classes = Array.from(script.matchAll(/querySelectorAll\('\.([\w-]+)'/g), ([, name = '']) => name)
  expect(classes).toEqual(['origin', 'home-command', 'api-key'])
  for (const name of classes) expect(html).toContain(`class="${name}"`)
})
