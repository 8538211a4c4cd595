/** The home page with the list of pets, and what a user sees and does there. */
import { onTestFinished, vi } from 'vitest'
import { readPetsOnHomePage } from '../../../src/pets/pets-on-pages.ts'
import { loadScript, showHomePage } from '../support/page.ts'

function find<Found extends Element>(selector: string, type: new () => Found): Found {
  const found = document.querySelector(selector)
  if (found instanceof type) return found
  throw new Error(`There is no ${type.name} ${selector}`)
}

/** A text, or null if it is hidden. */
const textOf = (selector: string): string | null => {
  const element = find(selector, HTMLElement)
  return element.hidden ? null : element.textContent
}

export const page = {
  names: () => Array.from(document.querySelectorAll('#pet-rows th'), ({ textContent }) => textContent),
  statuses: () => Array.from(document.querySelectorAll('.pet-status'), ({ textContent }) => textContent),
  row: (id: string) => sellButton(id)?.closest('tr') ?? null,
  text: textOf,
  problem: () => textOf('#pet-problem'),
  live: () => textOf('#live'),
  /** The form that asks for a key. */
  asksForKey: () => !find('#key-page', HTMLElement).hidden,
  focused: () => document.activeElement?.id || document.activeElement?.getAttribute('name'),
  invalid: () =>
    Array.from(document.querySelectorAll('#new-pet [aria-invalid=true]'), (field) =>
      field.getAttribute('name'),
    ),
  commands: () => find('#command-tabs', HTMLElement).parentElement?.textContent,
  entered: () => ({
    name: find('#new-pet [name=name]', HTMLInputElement).value,
    categoryId: find('#new-pet [name=categoryId]', HTMLInputElement).value,
  }),
  /** The ids of the highlighted pets. */
  changed: () =>
    Array.from(document.querySelectorAll('.is-changed [data-column=id]'), ({ textContent }) => textContent),
  /** Shows another tab, or this one. */
  setHidden: (isHidden: boolean) => {
    Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  },
}

const sellButton = (id: string) => document.querySelector<HTMLButtonElement>(`#sell-${id}`)

export const user = {
  sell: (id: string) => {
    const button = sellButton(id)
    button?.focus()
    button?.click()
  },
  filter: (status: string) => {
    const choice = find(`#filter [value="${status}"]`, HTMLInputElement)
    choice.checked = true
    choice.dispatchEvent(new Event('change', { bubbles: true }))
  },
  showMore: () => {
    const button = find('#more', HTMLButtonElement)
    button.focus()
    button.click()
  },
  fillIn: (pet: { name: string; categoryId: string }) => {
    for (const [name, value] of Object.entries(pet))
      find(`#new-pet [name=${name}]`, HTMLInputElement).value = value
  },
  create: () => find('#new-pet', HTMLFormElement).requestSubmit(),
  enterKey: async (token: string) => {
    if (!page.asksForKey()) find('#change-key', HTMLElement).click()
    find('#key', HTMLInputElement).value = token
    find('#key-form', HTMLFormElement).requestSubmit()
    await pass(0)
  },
}

/** Lets time pass on the page. @param time in milliseconds */
export async function pass(time: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(time)
  // What an answer leads to at once.
  for (let turns = 0; turns < 3; turns += 1) await vi.advanceTimersByTimeAsync(0)
}

/** Opens the page, and waits until it has read the list and follows the events. @param key of the tab */
export async function openList(key: string): Promise<void> {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  sessionStorage.setItem('pet-store:api-key', key)
  showHomePage(readPetsOnHomePage())
  await loadScript('pets/assets/pets.js')
  await pass(0)
  // Soon after the stream has begun, the list is read once more.
  await pass(300)
}
