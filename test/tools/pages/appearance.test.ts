/** How the pages look: sizes, colours, and what axe finds. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser, useBrowser } from '../browser.ts'
import { DESKTOP, NARROW, PHONE, findViolations, runTab, startDemo } from './demo.ts'
import { createClient } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'

const { elsewhere, key, url, withKey } = await startDemo()

describe.skipIf(!hasBrowser)('the appearance of the pages in a browser', () => {
  const open = useBrowser()

  /** GraphiQL's tabs are buttons within elements with the role tab. */
  const OF_GRAPHIQL = ['nested-interactive']

  const PAGES: [string, string, (page: Page) => Promise<void>, string[]?][] = [
    [
      'the home page',
      '/',
      async (page) => {
        await page.locator('#status.is-ready').waitFor()
        await page.getByText('Live', { exact: true }).waitFor()
        await page.locator('#pet-rows tr').first().waitFor()
      },
    ],
    ['the beginning of the docs page', '/docs', (page) => page.getByText('IDEMPOTENCY_KEY_REUSED').waitFor()],
    [
      'an operation of the docs page',
      '/docs#tag/pets/listPets',
      (page) =>
        page
          .getByRole('button', { name: /Test Request/ })
          .first()
          .waitFor(),
    ],
    [
      'GraphiQL',
      '/graphql',
      (page) => page.locator('.graphiql-query-editor .view-line').first().waitFor(),
      OF_GRAPHIQL,
    ],
  ]

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    it.each(PAGES)('%s fits a phone, and axe finds nothing', async (_, path, waitUntilShown, tolerated) => {
      const { page, problems } = await open(url, { colorScheme, viewport: PHONE })
      await page.goto(`${url}${path}`)
      await waitUntilShown(page)
      for (const viewport of [PHONE, NARROW, DESKTOP]) {
        await page.setViewportSize(viewport)
        // The editor of GraphiQL takes the new width a moment later.
        await eventually(async () => expect(await page.evaluate('scrollTo(1000, 0), scrollX')).toBe(0))
        await page.getByRole('banner').getByRole('button', { name: 'API key' }).click({ trial: true })
        expect(await findViolations(page, tolerated)).toEqual([])
      }
      expect(problems).toEqual([])
    })

    it('the dot of each status and the edge of a field can be seen', async () => {
      const { page } = await open(url, { colorScheme })
      const name = `A pet in ${colorScheme} colours`
      for (const status of [{}, { status: 'available' }, { status: 'pending' }, { status: 'sold' }])
        await createClient(url, key).createPet({ name, categoryId: 1, ...status })
      await page.goto(url)
      const dots = page.locator('#pet-rows tr', { hasText: name }).locator('.pet-status')
      await eventually(async () => expect(await dots.count()).toBe(4))
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      for (const dot of await dots.all()) {
        const color = await dot.evaluate((element) => {
          const { backgroundColor, borderTopColor } = getComputedStyle(element, '::before')
          return backgroundColor === 'rgba(0, 0, 0, 0)' ? borderTopColor : backgroundColor
        })
        // WCAG 1.4.11.
        expect(contrastOf(color, background)).toBeGreaterThan(3)
      }
      const edge = await page.locator('#key').evaluate((field) => getComputedStyle(field).borderTopColor)
      expect(contrastOf(edge, background)).toBeGreaterThan(3)
    })
  })

  // The second one is a phone's less a scroll bar.
  it.each([320, 378, 390, 480])(
    'at a width of %d, no bar covers the docs page, and its tables are wide enough',
    async (width) => {
      const { page } = await open(url, { viewport: { width, height: 700 } })
      await page.goto(`${url}/docs`)
      const row = page.getByRole('row', { name: 'UNSUPPORTED_MEDIA_TYPE' })
      await row.scrollIntoViewIfNeeded()
      await eventually(async () => {
        const bar = await page.getByRole('banner').boundingBox()
        const header = await page.locator('.t-doc__header').boundingBox()
        expect(header?.y).toBe(bar?.height)
      })
      expect((await row.getByRole('cell').last().boundingBox())?.width).toBeGreaterThan(150)
    },
  )

  it.each([NARROW, PHONE])('on a phone, each pet has one column: %j', async (viewport) => {
    const { page } = await open(url, { viewport })
    const name = `Waldemar the ${viewport.width}th`
    await createClient(url, key).createPet({ name, categoryId: Number.MAX_SAFE_INTEGER, status: 'available' })
    const other = `Wanda the ${viewport.width}th`
    await createClient(url, key).createPet({ name: other, categoryId: 1, status: 'pending' })
    await page.goto(withKey())
    const row = page.getByRole('row', { name })
    const header = row.getByRole('rowheader', { name })
    // The list is read again when the events begin.
    await page.getByText('Live', { exact: true }).waitFor()
    await eventually(async () => expect((await header.boundingBox())?.width).toBeGreaterThan(170))
    await row.getByRole('cell', { name: String(Number.MAX_SAFE_INTEGER) }).waitFor()
    // What it is, as the header of the column says elsewhere.
    expect(
      await row
        .getByRole('cell')
        .nth(1)
        .evaluate((cell) => getComputedStyle(cell, '::before').content),
    ).toBe('"Category "')
    await row.getByRole('button', { name: `Sell ${name}` }).click({ trial: true })
    // Short values are one line, which goes on below the button.
    const cells = page.getByRole('row', { name: other }).getByRole('cell')
    await eventually(async () => {
      const top = (await cells.nth(2).boundingBox())?.y
      expect(top).toBeGreaterThan(0)
      expect(top).toBe((await cells.nth(0).boundingBox())?.y)
    })
  })

  it.each([680, 768, 1200, 1440])('at a width of %d, no number of a pet is broken', async (width) => {
    const { page } = await open(url, { viewport: { width, height: 900 } })
    const name = `A number at ${width}`
    const [lowest, one] = ['-9223372036854775808', '1']
    const query = `mutation ($name: String!, $a: Int64!, $b: Int64!) {
      a: createPet(input: { name: $name, categoryId: $a }) { id }
      b: createPet(input: { name: $name, categoryId: $b }) { id }
    }`
    await createClient(url, key).graphql(query, { name, a: lowest, b: one })
    await page.goto(url)
    const heightOf = async (category: string) =>
      (await page.getByRole('row', { name: `${name} ${category}` }).boundingBox())?.height
    await page.getByText('Live', { exact: true }).waitFor()
    await eventually(async () => {
      const height = await heightOf(lowest)
      expect(height).toBeGreaterThan(0)
      expect(height).toBe(await heightOf(one))
    })
  })

  it('where the system chooses the colours, the selected tab differs from the others', async () => {
    const { page } = await open(url, { forcedColors: 'active' })
    /** The edges of elements, as far as they can be seen. */
    const edges = (selector: string) =>
      page.locator(selector).evaluateAll((elements) =>
        elements.map((element) => {
          const { borderBottomColor, outlineStyle } = getComputedStyle(element)
          return `${borderBottomColor} ${outlineStyle}`
        }),
      )
    const expectOne = async (selector: string) => {
      const [selected, ...others] = await edges(selector)
      expect(others.length).toBeGreaterThan(0)
      expect(others).not.toContain(selected)
    }
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await expectOne('#command-tabs button')
    // The others do not cover the line below them.
    const covers = await page.locator('#command-tabs').evaluate((list) => {
      const lineTop = list.getBoundingClientRect().top + list.clientTop + list.clientHeight
      const others = list.querySelectorAll('[aria-selected=false]')
      return Array.from(others, (tab) => tab.getBoundingClientRect().bottom > lineTop)
    })
    expect(covers).toEqual(Array(5).fill(false))
    await page.goto(`${url}/graphql`)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    await expectOne('.graphiql-tab')
    await page.getByRole('button', { name: 'Variables' }).click()
    await page.locator('.graphiql-editor-tools button.active').waitFor()
    await expectOne('.graphiql-editor-tools button')
    for (const panel of ['.graphiql-editors', '.graphiql-response'])
      expect(await page.locator(panel).evaluate((element) => getComputedStyle(element).borderTopStyle)).toBe(
        'solid',
      )
  })

  it('at 200 %, GraphiQL has lines to write in', async () => {
    const { page } = await open(url, { viewport: { width: 640, height: 360 } })
    await page.goto(`${url}/graphql`)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    const countLines = () =>
      page.locator('.graphiql-query-editor .monaco-editor').evaluate((editor) => {
        const { bottom } = editor.getBoundingClientRect()
        const lines = Array.from(editor.querySelectorAll('.view-line'))
        return lines.filter((line) => line.getBoundingClientRect().bottom <= bottom).length
      })
    await eventually(async () => expect(await countLines()).toBeGreaterThanOrEqual(7))
  })

  it('GraphiQL has a hint where there is no result yet', async () => {
    const { page } = await open(url)
    const hint = () =>
      page.locator('.result-window').evaluate((element) => getComputedStyle(element, '::after').content)
    await page.goto(`${url}/graphql`)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    expect(await hint()).not.toBe('none')
    await runTab(page, 'AvailablePets', '"Rex"')
    expect(await hint()).toBe('none')
  })

  it('the home page begins with one line of its name, a sentence and the status', async () => {
    const { page } = await open(url, { viewport: DESKTOP })
    await page.goto(url)
    await page.locator('#status.is-ready').waitFor()
    const parts = page.locator('h1, .home-intro p')
    const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()))
    expect(boxes).toHaveLength(3)
    const bottoms = boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0))
    expect(Math.max(...bottoms) - Math.min(...bottoms)).toBeLessThan(12)
    expect((await page.locator('.site-card:visible').first().boundingBox())?.y).toBeLessThan(120)
    // The bar has the icon only.
    await page.getByRole('banner').getByRole('link', { name: 'Pet Store', exact: true }).waitFor()
    expect(await page.getByRole('banner').getByText('Pet Store').isVisible()).toBe(false)
  })

  it.each([
    ['/', '.home-intro h1'],
    ['/nothing', 'main h1'],
    ['/graphql', '#key-page h1'],
  ])('the text of %s begins where the bar does', async (path, title) => {
    const { page } = await open(elsewhere, { viewport: DESKTOP })
    await page.goto(`${elsewhere}${path}`)
    const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x
    await page.locator(title).waitFor()
    expect(await left(title)).toBe(await left('.site-name'))
  })

  it('the label of the key keeps away from its field', async () => {
    const { page } = await open(elsewhere)
    await page.goto(elsewhere)
    await page.getByLabel('API key', { exact: true }).waitFor()
    const label = await page.locator('.key-form label').boundingBox()
    const field = await page.locator('#key').boundingBox()
    // The outline of the focus has 4 of them.
    expect((field?.x ?? 0) - (label?.x ?? 0) - (label?.width ?? 0)).toBeGreaterThanOrEqual(12)
  })

  it('the page at an unknown address leads to the others; axe finds nothing', async () => {
    const { page } = await open(url)
    for (const [link, heading] of [
      ['Pets', 'Pet Store'],
      ['REST API', 'Pet Store'],
      ['GraphiQL', 'GraphiQL'],
    ] as const) {
      await page.goto(`${url}/a/b`)
      expect(await findViolations(page)).toEqual([])
      await page.getByRole('main').getByRole('link', { name: link }).click()
      await page.getByRole('heading', { level: 1, name: heading }).first().waitFor()
    }
  })
})

/** The contrast of two colours (WCAG 2.2), each as `rgb(r, g, b)`. */
function contrastOf(...colors: [string, string]): number {
  const [lighter = 0, darker = 0] = colors
    .map((color) => {
      const [r = 0, g = 0, b = 0] = (color.match(/\d+/g) ?? []).map((value) => {
        const part = Number(value) / 255
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    })
    .sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}
