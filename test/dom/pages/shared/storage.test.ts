/** The storage of a page in a browser that keeps no site data. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadScript } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/shared/storage.js')

const NAMES = ['sessionStorage', 'localStorage'] as const
const kept = NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(window, name) ?? {}] as const)

/** A new page finds neither storage. */
function withoutStorage(): void {
  const get = () => {
    throw new DOMException('Access is denied for this document.', 'SecurityError')
  }
  for (const name of NAMES) Object.defineProperty(window, name, { get, configurable: true })
}
const load = async () => (await loadScript('pages/assets/shared/storage.js')) as Script

beforeEach(withoutStorage)
afterEach(() => {
  for (const [name, descriptor] of kept) Object.defineProperty(window, name, descriptor)
})

it('memory takes the place of the storage', async () => {
  const { keepsData, namesIn } = await load()
  expect(keepsData).toBe(false)
  sessionStorage.setItem('a', '1')
  localStorage.setItem('b', '2')
  expect([sessionStorage.getItem('a'), sessionStorage.getItem('b')]).toEqual(['1', null])
  expect([namesIn(sessionStorage), namesIn(localStorage)]).toEqual([['a'], ['b']])
  sessionStorage.removeItem('a')
  expect(sessionStorage.length).toBe(0)
})

it('a page that is loaded again finds what it has stored, and the history does not keep that', async () => {
  const reload = vi.spyOn(location, 'reload').mockReturnValue()
  const { reloadPage } = await load()
  sessionStorage.setItem('key', 'secret')
  reloadPage()
  expect(reload).toHaveBeenCalledOnce()
  // Scalar writes into the history, too, until the page has gone.
  history.replaceState({}, '')
  for (const name of ['replaceState', 'pushState']) Reflect.deleteProperty(history, name)
  withoutStorage()
  await load()
  expect(sessionStorage.getItem('key')).toBe('secret')
  expect(history.state).toBeNull()
})
