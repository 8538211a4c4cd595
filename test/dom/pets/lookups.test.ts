import { expect, it } from 'vitest'
import { readPetsOnHomePage } from '../../../src/pets/pets-on-pages.ts'
import { selectorsFor } from '../support/lookups.ts'
import { showHomePage } from '../support/page.ts'

it('the home page has all that the scripts of the list look for', () => {
  const selectors = selectorsFor(showHomePage(readPetsOnHomePage()))
  expect(selectors).toEqual(expect.arrayContaining(['#pet-rows', '[data-filter]', '[name="categoryId"]']))
  expect(selectors.filter((selector) => document.querySelector(selector) === null)).toEqual([])
})
