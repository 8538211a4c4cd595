/** examples/frontend in a real browser, built and served by its own command, against the demo. */
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, useBrowser } from './browser.ts'
import { createClient, idOf, type TestClient } from '../support/client.ts'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { demoKeyOf, endPrograms, ROOT, startCommand, startProgram } from '../support/process.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'

describe.skipIf(!hasBrowser)('the example frontend', () => {
  const openPage = useBrowser()
  const directory = useDirectory()
  let key: string
  /** Sends requests to the server directly, like another user. */
  let other: TestClient
  /** Between the browser and the server. */
  let network: Proxy
  let url: string

  beforeAll(async () => {
    const data = join(directory, 'data')
    copyDataDirectory(data)
    const program = startProgram({ DATA_DIR: data })
    const server = await program.ready
    network = await startProxy(server)
    url = await startFrontend(network.url.replace(/\/$/, ''))
    key = demoKeyOf(program)
    other = createClient(server, key)
  })
  afterAll(async () => {
    await endPrograms()
    await network.close()
  })

  /** Opens the list. @param filter the beginning of the names, so that tests do not see each other's pets */
  async function openList(filter = '', options?: Parameters<typeof openPage>[1]) {
    const { page, problems } = await openPage('http://127.0.0.1:', options)
    await page.goto(url)
    await enterKey(page, key)
    await page.getByText('Live', { exact: true }).waitFor()
    if (filter) {
      await page.getByLabel('Name begins with').fill(filter)
      await page.getByText('No pet matches.').waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
    }
    return { page, problems }
  }

  /** Opens the list in a window that gets no events. @param filter the beginning of the names */
  async function openStale(filter: string): Promise<Page> {
    const { page } = await openPage(url)
    await page.route('**/graphql', (route) =>
      isSubscription(route.request()) ? route.abort() : route.fallback(),
    )
    await page.goto(url)
    await enterKey(page, key)
    // Otherwise, that it is not there would not mean that the filtered list is.
    await rowOf(page, 'Rex').waitFor()
    await page.getByLabel('Name begins with').fill(filter)
    await rowOf(page, 'Rex').waitFor({ state: 'detached' })
    return page
  }

  async function fillForm(page: Page, name: string, category: string): Promise<void> {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Category', { exact: true }).fill(category)
    await page.getByRole('button', { name: 'Create' }).click()
  }

  it('asks for the key until it is right, and keeps it for the session', async () => {
    const { page } = await openPage(url)
    await page.goto(url)
    await enterKey(page, 'wrong')
    await page.getByText('The API key is not valid.').waitFor()
    await enterKey(page, key)
    await rowOf(page, 'Rex').waitFor()
    await page.reload()
    await rowOf(page, 'Rex').waitFor()
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.reload()
    await page.getByLabel('API key').waitFor()
  })

  it('shows the list by pages, and filtered', async () => {
    const { page, problems } = await openList()
    const next = page.getByRole('button', { name: 'Next' })
    await eventually(async () => expect(await namesIn(page)).toHaveLength(10))
    await next.click()
    await page.getByText('Page 2').waitFor()
    await rowOf(page, 'Rex').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Previous' }).click()
    await rowOf(page, 'Rex').waitFor()

    await next.click()
    await page.getByLabel('With status').selectOption('Sold')
    // A filter begins with its first page.
    await page.getByText('Page 1, 5 pets').waitFor()
    await rowOf(page, 'Hazel').waitFor()
    await eventually(async () => expect(await page.locator('tbody .badge:not(.sold)').count()).toBe(0))
    await page.getByLabel('Name begins with').fill('BEL')
    await eventually(async () => expect(await namesIn(page)).toEqual(['Bella']))
    // Also those that the list does not show.
    await page.getByText('Sold 1 · Not set 0').waitFor()
    await page.getByText('Page 1, 1 pet', { exact: true }).waitFor()
    expect(problems).toEqual([])

    const category = page.getByLabel('In category')
    await category.fill('x')
    await page.getByText('Category must be a whole number').waitFor()
    expect(await category.getAttribute('aria-invalid')).toBe('true')
  })

  it('keeps the reader at a page while other clients change the list', async () => {
    const { page } = await openList('Place')
    const pets = Array.from({ length: 12 }, (_, index) => `Place ${10 + index}`)
    const ids: string[] = []
    for (const name of pets) ids.push(idOf(await other.createPet({ name, categoryId: 7 })))
    await page.getByText('Page 1, 12 pets').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await eventually(async () => expect(await namesIn(page)).toEqual(['Place 20', 'Place 21']))
    await other.createPet({ name: 'Place 22', categoryId: 7 })
    await other.deletePet(ids[3] ?? '')
    await other.updatePet(ids[11] ?? '', { name: 'Elsewhere' })
    await eventually(async () => expect(await namesIn(page)).toEqual(['Place 20', 'Place 22']))
    await page.getByText('Page 2').waitFor()
  })

  it('marks the fields with invalid values', async () => {
    const { page, problems } = await openList()
    await fillForm(page, '  ', '7')
    expect(await page.locator('input[name=name]:invalid').count()).toBe(1)
    await fillForm(page, 'Rex', '9223372036854775808')
    const category = page.getByLabel('Category', { exact: true })
    await page.getByText('Category must be a whole number').waitFor()
    expect(await category.getAttribute('aria-invalid')).toBe('true')
    expect(await category.evaluate((control) => control.ownerDocument.activeElement === control)).toBe(true)
    await fillForm(page, 'a\u0000', '9223372036854775807')
    await page.getByText('name must be a string without U+0000').waitFor()
    expect(await category.getAttribute('aria-invalid')).toBe('false')
    expect(problems).toEqual([])
  })

  it('creates a pet once, even if the answer is lost, and keeps each digit', async () => {
    const { page } = await openList('Once')
    // The server receives the request, but its answer does not arrive.
    await page.route('**/graphql', async (route) => {
      if (isSubscription(route.request())) return route.fallback()
      await route.fetch()
      await route.abort('connectionreset')
    })
    // The pet's event arrives, and the list cannot be read.
    const lost = page.waitForEvent('requestfailed', isListRead)
    await fillForm(page, 'Once', '9007199254740993')
    await page.getByText('trying again will not create it twice').waitFor()
    await lost
    // A list that is being read again is still to be lost.
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Created Once').waitFor()
    await rowOf(page, 'Once').getByText('9007199254740993').waitFor()
    expect(await namesIn(page)).toEqual(['Once'])

    // The next one is another pet, even if it looks the same.
    await fillForm(page, 'Once', '9007199254740993')
    await eventually(async () => expect(await namesIn(page)).toEqual(['Once', 'Once']))
  })

  it('shows a pet that it has created, even if the event does not come', async () => {
    const page = await openStale('Quiet')
    await page.getByText('No pet matches.').waitFor()
    await fillForm(page, 'Quiet', '7')
    await rowOf(page, 'Quiet').waitFor()
    await page.getByText('Not live').waitFor()
  })

  it('reads the list again after a read that has failed', async () => {
    const { page } = await openList('Again')
    const lost = page.waitForEvent('requestfailed', isListRead)
    await page.route('**/graphql', (route) => route.abort('connectionreset'), { times: 1 })
    await other.createPet({ name: 'Again', categoryId: 7 })
    await lost
    await rowOf(page, 'Again').waitFor()
    await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' })
  })

  it('of two windows that sell one pet, one succeeds, and the other shows what has happened', async () => {
    const { page } = await openList('Race')
    const id = idOf(await other.createPet({ name: 'Race', categoryId: 7, status: 'available' }))
    const slow = await openStale('Race')
    await page.getByRole('button', { name: 'Sell Race' }).click()
    await rowOf(page, 'Race').getByText('Sold').waitFor()

    const problem = slow.getByText(
      'The pet has been changed or deleted in the meantime, so nothing was done.',
    )
    await slow.getByRole('button', { name: 'Sell Race' }).click()
    await problem.waitFor()
    await rowOf(slow, 'Race').getByText('Sold').waitFor()

    // The same in the dialog, which closes: its form shows old values.
    const dialog = slow.getByRole('dialog')
    await slow.getByRole('button', { name: 'Edit Race' }).click()
    await problem.waitFor({ state: 'detached' })
    await other.updatePet(id, { name: 'Race won' })
    await dialog.getByLabel('Name').fill('Race lost')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await problem.waitFor()
    await rowOf(slow, 'Race won').waitFor()
    await dialog.waitFor({ state: 'detached' })

    // A field that the user leaves alone may have changed.
    await slow.getByRole('button', { name: 'Edit Race' }).click()
    await other.updatePet(id, { name: 'Race two' })
    await dialog.getByLabel('Status').selectOption('Pending')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await rowOf(slow, 'Race two').getByText('Pending').waitFor()

    await slow.getByRole('button', { name: 'Edit Race' }).click()
    await other.updatePet(id, { status: 'sold' })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await problem.waitFor()
    // The list has been read again: a later read would no longer have the pet.
    await rowOf(slow, 'Race two').getByText('Sold').waitFor()
    await other.deletePet(id)
    await slow.getByRole('button', { name: 'Edit Race' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await problem.waitFor()
    await slow.getByText('No pet matches.').waitFor()
  })

  it('edits, sells and deletes a pet, and shows the counts', async () => {
    const { page, problems } = await openList('Edit')
    await other.createPet({ name: 'Edit me', categoryId: 7 })
    await rowOf(page, 'Edit me').waitFor()
    await page.getByText('Page 1, 1 pet', { exact: true }).waitFor()
    await page.getByText('Available 0 · Pending 0 · Sold 0 · Not set 1').waitFor()
    await page.getByRole('button', { name: 'Sell Edit me' }).click()
    await rowOf(page, 'Edit me').getByText('Sold').waitFor()
    await page.getByText('Available 0 · Pending 0 · Sold 1 · Not set 0').waitFor()
    expect(await page.getByRole('button', { name: 'Sell Edit me' }).count()).toBe(0)

    const dialog = page.getByRole('dialog', { name: 'Edit Edit me' })
    await page.getByRole('button', { name: 'Edit Edit me' }).click()
    await dialog.getByLabel('Category').fill('x')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Category must be a whole number').waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog.getByLabel('Category').fill('9007199254740993')
    await dialog.getByLabel('Status').selectOption('Pending')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf(page, 'Edit me').getByText('9007199254740993').waitFor()
    await rowOf(page, 'Edit me').getByText('Pending').waitFor()

    await page.getByRole('button', { name: 'Edit Edit me' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No pet matches.').waitFor()
    await page.getByText('Page 1, 0 pets', { exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('shows changes as they happen, and what happened while the connection was lost', async () => {
    const { page } = await openList('Live')
    const id = idOf(await other.createPet({ name: 'Live one', categoryId: 7 }))
    await rowOf(page, 'Live one').waitFor()
    await other.updatePet(id, { status: 'sold' })
    await rowOf(page, 'Live one').getByText('Sold').waitFor()
    await page.getByText(`Live one (${id}) was updated.`).waitFor()
    // Apart from the text around it: a name may be written from right to left.
    expect(await page.locator('.event bdi').textContent()).toBe('Live one')

    network.hangUp(true)
    await page.getByText('Not live').waitFor()
    await other.deletePet(id)
    await other.createPet({ name: 'Live two', categoryId: 7 })
    network.hangUp(false)
    await eventually(async () => expect(await namesIn(page)).toEqual(['Live two']))
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('fits a phone and a desk, and axe finds nothing, in light and dark', async () => {
    const { page, problems } = await openPage('http://127.0.0.1:')
    await page.goto(url)
    expect(await findViolations(page)).toEqual([])
    await enterKey(page, key)
    await rowOf(page, 'Rex').waitFor()
    await fillForm(page, 'Rex', 'x')
    await page.getByText('Category must be a whole number').waitFor()
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await findViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
    expect(problems).toEqual([])
  })

  // The last one, since it deletes the pets of the others.
  it('says that there are no pets', async () => {
    for (const { id } of (await other.send('/v1/pets?limit=100')).json as { id: number }[])
      await other.deletePet(String(id))
    const { page } = await openPage(url)
    await page.goto(url)
    await enterKey(page, key)
    await page.getByText('There are no pets.').waitFor()
  })
})

/** @param api the server's address @returns the frontend's */
async function startFrontend(api: string): Promise<string> {
  const port = await findFreePort()
  const args = ['start', '--prefix', 'examples/frontend', '--', '--port', String(port)]
  const { stdout, ended } = startCommand('npm', args, {
    cwd: ROOT,
    detached: true,
    env: { VITE_API_URL: api },
  })
  const url = `http://127.0.0.1:${port}`
  await Promise.race([
    eventually(() => expect(stdout.join('\n')).toContain(`${url}/`)),
    ended.then((code) => {
      throw new Error(`npm start has ended with ${code}: ${stdout.join('\n')}`)
    }),
  ])
  return url
}

async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByLabel('API key').press('Enter')
}

const isListRead = (request: Request) => request.postData()?.includes('query Pets') ?? false

const isSubscription = (request: Request) => request.postData()?.includes('subscription ') ?? false

const rowOf = (page: Page, name: string) => page.locator('tbody tr', { hasText: name })

const namesIn = (page: Page) => page.locator('tbody th').allTextContents()

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)
}
