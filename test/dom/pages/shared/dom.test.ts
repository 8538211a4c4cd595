/** What the scripts of pages find in their HTML, and change in it. */
import { expect, it } from 'vitest'
import { byId, readSettings, setText, textOf } from '../../../../src/pages/assets/shared/dom.js'

it('finds an element only with the class that the script expects', () => {
  document.body.innerHTML = '<p id="text"></p>'
  expect(byId('text', HTMLParagraphElement).tagName).toBe('P')
  expect(() => byId('text', HTMLInputElement)).toThrow('There is no HTMLInputElement with the id text.')
  expect(() => byId('other', HTMLElement)).toThrow('There is no HTMLElement with the id other.')
})

it('writes a text only if it is another one, since a screen reader would read it again', async () => {
  document.body.innerHTML = '<p id="text"></p>'
  const element = byId('text', HTMLElement)
  const changes = new MutationObserver(() => undefined)
  changes.observe(element, { childList: true, characterData: true, subtree: true })
  setText(element, 'Live')
  expect(changes.takeRecords()).not.toEqual([])
  setText(element, 'Live')
  expect(changes.takeRecords()).toEqual([])
})

it('reads the text of a control without the spaces around it', () => {
  document.body.innerHTML = '<form id="form"><input name="name" value=" Rex " /></form>'
  const form = byId('form', HTMLFormElement)
  expect(textOf(form, 'name')).toBe('Rex')
  expect(textOf(form, 'other')).toBe('')
})

it('reads the settings that the server has written', () => {
  document.body.innerHTML =
    '<script type="application/json" id="settings">{"page":"home","key":"\\u003c"}</script>'
  expect(readSettings('home')).toMatchObject({ key: '<' })
  expect(() => readSettings('docs')).toThrow('This is the page home, not docs.')
})
