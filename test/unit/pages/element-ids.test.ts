import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const readAll = (pattern: string) =>
  globSync(join(import.meta.dirname, '../../../src', pattern)).map((file) => readFileSync(file, 'utf8'))
const html = readAll('*/html/*.html').join('')
const ids = readAll('pages/assets/*.js').flatMap((script) =>
  Array.from(script.matchAll(/byId\('([^']*)'/g), ([, id = '']) => id),
)

it.each([...new Set(ids)])('a page has the element #%s, which a script looks for', (id) => {
  expect(html).toContain(` id="${id}"`)
})
