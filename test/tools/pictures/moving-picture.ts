/** The picture that moves: two windows of the home page side by side; what happens in one is seen in the other. It needs img2webp. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'

/** Of one window, in CSS pixels. Both together are shown 850 pixels wide on GitHub. */
const WINDOW = { width: 470, height: 520 }

const COLOR_SCHEMES = ['light', 'dark'] as const

/**
 * Takes it in both color schemes; it repeats without end.
 * @param url of a demo that nothing else changes, with its key
 */
export async function takeMovingPicture(
  browser: Browser,
  url: string,
  fileOf: (colorScheme: string) => string,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-frames-'))
  // Without motion of its own: what has changed stays marked.
  const options: BrowserContextOptions = { reducedMotion: 'reduce', deviceScaleFactor: 2 }
  const open = async (address: string, width: number, height: number): Promise<Page> => {
    const page = await browser.newPage({ ...options, viewport: { width, height } })
    page.setDefaultTimeout(120_000)
    await page.goto(address)
    return page
  }
  const [left, right] = [await open(url, WINDOW.width, 1000), await open(url, WINDOW.width, 1000)]
  const screen = await open('about:blank', 2 * WINDOW.width + 44, WINDOW.height + 66)
  /** Milliseconds that each frame is shown. */
  const durations: number[] = []
  const frameOf = (colorScheme: string, index: number) => join(directory, `${index}-${colorScheme}.png`)

  /** Adds a frame. @param pointed where the mouse is, and in which window */
  async function take(milliseconds: number, pointed?: Locator): Promise<void> {
    const frame = durations.push(milliseconds) - 1
    for (const colorScheme of COLOR_SCHEMES) {
      const windows: string[] = []
      for (const page of [left, right]) {
        await page.emulateMedia({ colorScheme })
        const { y } = (await page.locator('#pets').boundingBox()) ?? { y: 0 }
        const image = await page.screenshot({ clip: { x: 0, y: y - 12, ...WINDOW } })
        const target = pointed?.page() === page ? await pointed.boundingBox() : null
        const mouse = target && {
          x: target.x + target.width * 0.7,
          y: target.y + target.height * 0.6 - (y - 12),
        }
        windows.push(renderWindow(image.toString('base64'), mouse))
      }
      await screen.emulateMedia({ colorScheme })
      await screen.setContent(renderScreen(windows))
      await screen.screenshot({ path: frameOf(colorScheme, frame) })
    }
  }

  try {
    for (const page of [left, right]) {
      await page.getByText('Live', { exact: true }).waitFor()
      await page.locator('#pet-rows tr').first().waitFor()
    }
    await play(left, right, take)
    for (const colorScheme of COLOR_SCHEMES) {
      const frames = durations.flatMap((milliseconds, index) => [
        '-d',
        String(milliseconds),
        frameOf(colorScheme, index),
      ])
      encode(frames, fileOf(colorScheme))
      console.log(fileOf(colorScheme))
    }
  } finally {
    await Promise.all([left, right, screen].map((page) => page.close()))
    rmSync(directory, { recursive: true })
  }
}

/** What happens: a pet is created in one window, and sold in the other. */
async function play(
  left: Page,
  right: Page,
  take: (milliseconds: number, pointed?: Locator) => Promise<void>,
): Promise<void> {
  await take(1500)
  const name = 'Waffles'
  for (let length = 1; length <= name.length; length++) {
    await left.getByLabel('Name').fill(name.slice(0, length))
    await take(120)
  }
  await left.getByLabel('Category').fill('2')
  await take(500)
  await left.getByLabel('Status').first().selectOption('available')
  await take(600)
  const create = left.getByRole('button', { name: 'Create' })
  await take(700, create)
  await create.click()
  await showEverywhere('created')
  await take(2500, create)

  const sell = right.getByRole('button', { name: `Sell ${name}` })
  await take(900, sell)
  await sell.click()
  await showEverywhere('updated')
  await take(3000)

  async function showEverywhere(kind: string): Promise<void> {
    for (const page of [left, right]) {
      await page.getByText(new RegExp(`^${name} .* was ${kind}`)).waitFor()
      const row = page.locator('#pet-rows .is-changed', { hasText: name })
      await row.getByText(kind === 'updated' ? 'sold' : 'available').waitFor()
    }
  }
}

/** A window as an image, with the mouse on it. */
function renderWindow(image: string, mouse: { x: number; y: number } | null): string {
  const arrow =
    mouse &&
    `<svg class="mouse" style="left:${mouse.x}px;top:${mouse.y}px" viewBox="0 0 12 19"><path d="M1 1v14l3.4-3 2.2 5.3 2.4-1-2.2-5.2h4.6z" fill="#111" stroke="#fff"/></svg>`
  return `<figure><header><i></i><i></i><i></i>127.0.0.1:4000</header><div><img src="data:image/png;base64,${image}">${arrow ?? ''}</div></figure>`
}

const renderScreen = (windows: string[]) => `<!doctype html><style>
:root { color-scheme: light dark }
body { margin: 0; padding: 14px; display: flex; gap: 16px; background: light-dark(#e3e9e7, #2a3634); font: 13px system-ui }
figure { margin: 0; flex: 1; overflow: hidden; border-radius: 10px; background: light-dark(#fff, #101817) }
header { display: flex; align-items: center; gap: 6px; height: 38px; padding: 0 14px; color: light-dark(#52605e, #a3b3b0); background: light-dark(#f3f7f6, #1a2523) }
i { width: 10px; height: 10px; border-radius: 50%; background: light-dark(#c3cfcc, #4a5b58) }
i:last-of-type { margin-right: 10px }
div { position: relative }
img { display: block; width: 100% }
.mouse { position: absolute; width: 18px }
</style>${windows.join('')}`

/** @param frames the arguments for each */
function encode(frames: string[], file: string): void {
  try {
    execFileSync('img2webp', ['-loop', '0', '-min_size', '-lossy', '-q', '85', ...frames, '-o', file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error('img2webp was not found. It is in the package webp (Debian, Homebrew).', { cause: error })
  }
}
