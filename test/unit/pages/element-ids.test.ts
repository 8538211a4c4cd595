import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { idsIn } from '../../support/pages.ts'

const readAll = (pattern: string) =>
  globSync(join(import.meta.dirname, '../../../src', pattern)).map((file) => readFileSync(file, 'utf8'))
const html = readAll('*/html/*.html').join('')

it.each(idsIn(readAll('pages/assets/*.js')))('a page has the element #%s, which a script looks for', (id) => {
  expect(html).toContain(` id="${id}"`)
})
