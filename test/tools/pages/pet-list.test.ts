/** The list of pets on the home page: what needs a real browser, a real network or a real server. */
import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser, useBrowser } from '../browser.ts'
import { fulfillWithError, isOperation, startDemo } from './demo.ts'
import { createClient, idOf } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/proxy.ts'

const { key, url, withKey } = await startDemo()

describe.skipIf(!hasBrowser)('the list of pets in a browser', () => {
  const open = useBrowser()

  it('the home page lists, filters, creates and sells pets, and shows what happens in a second window', async () => {
    const { page, problems } = await open(url)
    const { page: second } = await open(url)
    const names = (from: Page) => from.locator('#pet-rows th').allTextContents()
    const rowOf = (from: Page, name: string) => from.locator('#pet-rows tr', { hasText: name })
    const newest = ['Newest', 'Second newest', 'Third newest']
    for (const name of newest.toReversed()) await createClient(url, key).createPet({ name, categoryId: 1 })
    for (const window of [page, second]) {
      await window.goto(withKey())
      await window.getByText('Live', { exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Show more' }).click()
    await eventually(async () => expect(await names(page)).toHaveLength(20))
    expect((await names(page)).slice(0, 3)).toEqual(newest)

    await page.getByLabel('Category').fill('9007199254740993')
    await page.getByLabel('Name').fill('  ')
    expect(await page.locator('#new-pet input:invalid').count()).toBe(1)
    await page.getByLabel('Name').fill('Pancakes')
    await page.getByRole('button', { name: 'Create' }).click()
    await rowOf(page, 'Pancakes').getByText('9007199254740993').waitFor()
    await rowOf(second, 'Pancakes').getByText('not set').waitFor()
    await second.getByText(/^Pancakes \(\d+\) was created\.$/).waitFor()

    await page.getByRole('button', { name: 'Sell Pancakes' }).click()
    await rowOf(page, 'Pancakes').getByText('sold').waitFor()
    await rowOf(second, 'Pancakes').getByText('sold').waitFor()
    await second.getByText(/^Pancakes \(\d+\) was updated\.$/).waitFor()
    expect(await second.getByRole('button', { name: 'Sell Pancakes' }).count()).toBe(0)

    await second.getByRole('group', { name: 'Show' }).getByRole('radio', { name: 'pending' }).check()
    await rowOf(second, 'Pancakes').waitFor({ state: 'detached' })
    expect(await second.locator('#pet-rows .pet-status:not(.pending)').count()).toBe(0)
    const command = second.locator('.home-command code').first()
    expect(await command.textContent()).toContain(`'${url}/v1/pets?limit=3&status=pending'`)

    // The server's own sentence, at the field.
    await page.getByLabel('Name').fill('Of no category')
    await page.getByLabel('Category').fill('9223372036854775808')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('categoryId must be an integer').waitFor()
    expect(await page.getByLabel('Category').getAttribute('aria-invalid')).toBe('true')
    expect(problems).toEqual([])
  })

  it.each(['reduce', 'no-preference'] as const)(
    'the home page highlights a changed pet once, however often the list is read: reduced motion %s',
    async (reducedMotion) => {
      const { page } = await open(url, { reducedMotion })
      await page.goto(url)
      await page.getByText('Live', { exact: true }).waitFor()
      const name = `Changed, ${reducedMotion}`
      await createClient(url, key).createPet({ name, categoryId: 1, status: 'pending' })
      const row = page.locator('#pet-rows tr.is-changed', { hasText: name })
      const background = () => row.evaluate((element) => getComputedStyle(element).backgroundColor)
      await row.waitFor()
      expect(await background()).not.toBe('rgba(0, 0, 0, 0)')
      await row.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)))
      // Another filter removes the row, which is then made again.
      await page.getByRole('radio', { name: 'sold' }).check()
      await row.waitFor({ state: 'detached' })
      await page.getByRole('radio', { name: 'pending' }).check()
      await row.waitFor()
      expect(await background()).toBe('rgba(0, 0, 0, 0)')
    },
  )

  it('on the home page, no name is taken for HTML', async () => {
    const { page, problems } = await open(url)
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    const names = [
      '<img src=x onerror=alert(1)>',
      'very long '.repeat(100),
      'x'.repeat(1000),
      'مرحبا (12)!\u2028x',
    ]
    for (const name of names) await createClient(url, key).createPet({ name, categoryId: 1 })
    await page.locator('#pet-event', { hasText: 'مرحبا' }).waitFor()
    await eventually(async () =>
      expect((await page.locator('#pet-rows th').allTextContents()).slice(0, 4)).toEqual(names.toReversed()),
    )
    expect(problems).toEqual([])
  })

  it('the home page says where its list ends, and why an action failed; it does not scroll by itself', async () => {
    const { page } = await open(url)
    const other = createClient(url, key)
    for (let number = 0; number < 100; number += 1)
      await other.createPet({ name: `Number ${number}`, categoryId: 1, status: 'available' })
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    const rows = page.locator('#pet-rows tr')
    for (let shown = 10; shown < 100; shown += 10) {
      await eventually(async () => expect(await rows.count()).toBe(shown))
      await page.getByRole('button', { name: 'Show more' }).press('Enter')
    }
    const end = page.getByText('These are the newest 100; the APIs list all.')
    await end.waitFor()
    expect(await end.evaluate((element) => element === document.activeElement)).toBe(true)

    const last = page.getByRole('button', { name: /^Sell / }).last()
    await page.context().setOffline(true)
    await last.click()
    const problem = page.getByRole('alert').getByText('The server cannot be reached.')
    await problem.waitFor()
    await page.context().setOffline(false)
    await problem.waitFor({ state: 'detached' })

    // The focus is on a button that is out of sight, and stays in the list.
    await page.locator('[id^=sell-]').nth(80).focus()
    await page.evaluate('scrollTo(0, 0)')
    await other.createPet({ name: 'Late', categoryId: 1 })
    await rows.filter({ hasText: 'Late' }).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
  })

  it('on the home page, the focus of the keyboard goes on after Sell and Create', async () => {
    const { page } = await open(url)
    await page.goto(withKey())
    await page.getByText('Live', { exact: true }).waitFor()
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.name')
    await page.getByLabel('Name').fill('Focus')
    await page.getByLabel('Category').fill('1')
    await page.keyboard.press('Enter')
    await page.locator('#pet-rows tr', { hasText: 'Focus' }).waitFor()
    expect(await focused()).toBe('name')
    const buttons = page.getByRole('table', { name: 'Pets' }).getByRole('button', { name: /^Sell / })
    const idsOf = () => buttons.evaluateAll((elements) => elements.map(({ id }) => id))
    const [, next] = await idsOf()
    await page.getByRole('button', { name: 'Sell Focus' }).press('Enter')
    await page.locator('#pet-rows tr', { hasText: 'Focus' }).getByText('sold').waitFor()
    expect(await focused()).toBe(next)
    // Without a next one, to the one before, and without any, to the title.
    await page.getByRole('group', { name: 'Show' }).getByRole('radio', { name: 'pending' }).check()
    await eventually(async () => expect(await page.locator('.pet-status:not(.pending)').count()).toBe(0))
    for (let ids = await idsOf(); ids.length > 0; ids = await idsOf()) {
      await buttons.last().press('Enter')
      await eventually(async () => expect(await idsOf()).toHaveLength(ids.length - 1))
      expect(await focused()).toBe(ids.at(-2) ?? 'pets-title')
    }
  })

  it.each([
    ['the connection is lost', (route: Route) => route.abort('connectionreset')],
    ['a proxy answers', (route: Route) => route.fulfill({ status: 502, body: 'Bad Gateway' })],
    [
      'a gateway answers with JSON',
      (route: Route) => route.fulfill({ status: 504, json: { message: 'Endpoint request timed out' } }),
    ],
    [
      'the database does not answer',
      (route: Route) =>
        route.fulfill({ json: { errors: [{ message: 'Late.', extensions: { code: 'TIMEOUT' } }] } }),
    ],
  ])(
    'the home page says which pet may have been created, until that has been tried again: %s',
    async (how, answer) => {
      const { page } = await open(url)
      await page.goto(withKey())
      await page.getByText('Live', { exact: true }).waitFor()
      const name = `Perhaps, since ${how}`
      // The server creates the pet.
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('CreatePet')) return route.fallback()
        await route.fetch()
        await answer(route)
      })
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Category').fill('1')
      await page.getByRole('button', { name: 'Create' }).click()
      const alert = page.getByRole('alert').getByText(`${name} may have been created.`)
      await alert.waitFor()
      const rows = page.locator('#pet-rows tr', { hasText: name })
      await rows.waitFor()
      // Also after other reads of the list, and another action.
      const other = `Other, while ${how}`
      await createClient(url, key).createPet({ name: other, categoryId: 1, status: 'pending' })
      await page.getByRole('button', { name: `Sell ${other}` }).click()
      await page.locator('#pet-rows tr', { hasText: other }).getByText('sold').waitFor()
      expect(await alert.isVisible()).toBe(true)
      await page.unrouteAll({ behavior: 'wait' })
      // Also after another pet has been created.
      for (const next of [`Another, after ${how}`, name]) {
        await page.getByLabel('Name').fill(next)
        await page.getByLabel('Category').fill('1')
        await page.getByRole('button', { name: 'Create' }).click()
        // Once it has been created.
        await eventually(async () => expect(await page.getByLabel('Name').inputValue()).toBe(''))
      }
      await alert.waitFor({ state: 'detached' })
      expect(await rows.count()).toBe(1)
    },
  )

  it.each(['SHUTTING_DOWN', 'RATE_LIMITED', 'UNAUTHORIZED'])(
    'the home page creates a pet once, also if a second attempt is answered with %s',
    async (code) => {
      const { page } = await open(url)
      await page.goto(withKey())
      await page.getByText('Live', { exact: true }).waitFor()
      const name = `Once, despite ${code}`
      const answers = ['TIMEOUT', code]
      await page.route('**/graphql', async (route) => {
        const answer = isOperation(route, 'CreatePet') ? answers.shift() : undefined
        if (answer === undefined) return route.fallback()
        // The server creates the pet.
        if (answer === 'TIMEOUT') await route.fetch()
        await fulfillWithError(route, answer)
      })
      const create = page.getByRole('button', { name: 'Create' })
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Category').fill('1')
      await create.click()
      const alert = page.locator('#pet-problem', { hasText: `${name} may have been created.` })
      await alert.waitFor()
      await create.click()
      if (code === 'UNAUTHORIZED') {
        await page.getByLabel('API key', { exact: true }).fill(key)
        await page.keyboard.press('Enter')
      } else {
        // It is still not known.
        await alert.getByText(`Answered with ${code}.`).waitFor()
      }
      await create.click()
      await eventually(async () => expect(await page.getByLabel('Name').inputValue()).toBe(''))
      const query = 'query ($name: String!) { pets(filter: { namePrefix: $name }) { totalCount } }'
      const { data } = await createClient(url, key).graphql(query, { name })
      expect(data).toEqual({ pets: { totalCount: 1 } })
    },
  )

  it('of two windows of the home page that sell one pet, one succeeds, and the other shows what has happened', async () => {
    const { page } = await open(url)
    // It gets no events.
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('subscription') ? route.abort() : route.fallback(),
    )
    const other = createClient(url, key)
    const id = idOf(await other.createPet({ name: 'Race', categoryId: 1, status: 'pending' }))
    await page.goto(withKey())
    const sell = page.getByRole('button', { name: 'Sell Race' })
    await sell.waitFor()
    await other.updatePet(id, { status: 'sold' })
    await sell.click()
    await page.getByRole('alert').getByText('changed or deleted in the meantime').waitFor()
    await page.locator('#pet-rows tr', { hasText: 'Race' }).getByText('sold').waitFor()
  })

  it.each<[string, (route: Route) => Promise<void>, string]>([
    ['no answer', (route) => route.abort('connectionreset'), 'The server cannot be reached.'],
    [
      'no database',
      (route) => fulfillWithError(route, 'DATABASE_UNAVAILABLE'),
      'Answered with DATABASE_UNAVAILABLE.',
    ],
    ['too many requests', (route) => fulfillWithError(route, 'RATE_LIMITED'), 'Answered with RATE_LIMITED.'],
  ])('the home page reads the list again after a read that has failed: %s', async (how, fail, text) => {
    const { page } = await open(url)
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('#pet-rows tr').first().waitFor()
    let isAway = true
    let failures = 0
    await page.route('**/graphql', (route) => {
      if (!isAway || !isOperation(route, 'Pets')) return route.fallback()
      failures += 1
      return fail(route)
    })
    const name = `Again, after ${how}`
    await createClient(url, key).createPet({ name, categoryId: 1 })
    await page.locator('#pet-event', { hasText: name }).waitFor()
    // One after the event, and one that is tried again.
    await eventually(() => expect(failures).toBeGreaterThan(1))
    const problem = page.getByRole('alert').getByText(text)
    await problem.waitFor()
    isAway = false
    await page.locator('#pet-rows tr', { hasText: name }).waitFor()
    await problem.waitFor({ state: 'detached' })
  })

  it('the home page becomes live again after the server has been away, and shows what it has missed', async () => {
    const { page } = await open(url)
    const network = await startProxy(url)
    await page.goto(`${network.url}#key=${key}`)
    await page.getByText('Live', { exact: true }).waitFor()
    network.hangUp(true)
    await page.getByText('Not live').waitFor()
    await page.getByRole('link', { name: 'not reachable' }).waitFor()
    await createClient(url, key).createPet({ name: 'Missed', categoryId: 1 })
    network.hangUp(false)
    await page.locator('#pet-rows tr', { hasText: 'Missed' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'ready', exact: true }).waitFor()
    await network.close()
  })

  it('the home page notices a network that forwards nothing more, and becomes live again', async () => {
    const { page } = await open(url)
    await page.clock.install()
    const network = await startProxy(url)
    await page.goto(`${network.url}#key=${key}`)
    await page.getByText('Live', { exact: true }).waitFor()
    void network.silence(true)
    await page.clock.fastForward(31_000)
    await page.getByText('Not live').waitFor()
    await page.getByRole('link', { name: 'not reachable' }).waitFor()
    await createClient(url, key).createPet({ name: 'Silence', categoryId: 1 })
    void network.silence(false)
    await eventually(async () => {
      // What was sent into the silence is given up, too.
      await page.clock.fastForward(31_000)
      expect(await page.getByText('Live', { exact: true }).isVisible()).toBe(true)
    })
    await page.locator('#pet-rows tr', { hasText: 'Silence' }).waitFor()
    await page.getByRole('link', { name: 'ready', exact: true }).waitFor()
    await network.close()
  })
})
