/** Takes the pictures in docs/pictures of a running demo, in light and dark: `npm run pictures`. It needs Chromium and img2webp. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Page } from 'playwright-core'
import { takeMovingPicture } from './moving-picture.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const executablePath = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (!executablePath) throw new Error('Chromium was not found. Set CHROMIUM to its path.')

interface Picture {
  name: string
  /** In CSS pixels; GitHub shows 850 of them. */
  width: number
  height: number
  url: (addresses: { demo: string; app: string }) => string
  /** Brings the page into the state to be shown. */
  prepare: (page: Page, key: string) => Promise<void>
}

/** Short enough for a narrow picture. */
const QUERY = `query SoldPets {
  pets(
    first: 3
    filter: { status: sold }
  ) {
    nodes {
      id
      name
      status
    }
    totalCount
  }
}`

const pictures: Picture[] = [
  {
    name: 'docs',
    width: 1200,
    height: 750,
    url: ({ demo }) => `${demo}/docs#tag/pets/listPets`,
    prepare: (page) =>
      page
        .getByRole('button', { name: /Test Request/ })
        .first()
        .waitFor(),
  },
  {
    name: 'graphiql',
    width: 900,
    height: 630,
    url: ({ demo }) => `${demo}/graphql`,
    async prepare(page) {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(QUERY)})`)
      const answer = page.locator('.result-window').getByText('Hazel')
      // GraphiQL ignores what is done while it still reads the tab.
      for (let isShown = false; !isShown;) {
        await page.locator('.graphiql-query-editor .view-line').first().click()
        await page.keyboard.press('ControlOrMeta+A')
        // Typed, it would be indented and closed by the editor too.
        await page.keyboard.press('ControlOrMeta+V')
        await page.getByRole('button', { name: /Execute query/ }).click()
        isShown = await answer.waitFor({ timeout: 10_000 }).then(
          () => true,
          () => false,
        )
      }
      // The editor colours words a moment after it shows them in the colour of mtk1.
      await page.locator('.view-line .mtk1', { hasText: /\w/ }).first().waitFor({ state: 'detached' })
    },
  },
  {
    name: 'example',
    width: 1200,
    height: 750,
    url: ({ app }) => app,
    async prepare(page, key) {
      await page.getByLabel('API key').fill(key)
      await page.keyboard.press('Enter')
      await page.getByText('Live', { exact: true }).waitFor()
      await page.locator('tbody tr').first().waitFor()
    },
  },
]

/** Runs in the page: waits until nothing has moved for half a second. */
const UNTIL_SETTLED = `new Promise((resolve) => {
  let [layout, since] = ['', 0]
  const look = (now) => {
    const boxes = Array.from(document.querySelectorAll('body *'), (element) => element.getBoundingClientRect())
    const next = JSON.stringify(boxes)
    if (next !== layout) [layout, since] = [next, now]
    if (now - since > 500) resolve()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`

const vite = 'node_modules/vite/bin/vite.js'
const frontend = 'examples/frontend'
const directory = mkdtempSync(join(tmpdir(), 'pet-store-pictures-'))
const programs: ChildProcess[] = []
try {
  const demo = await start(['bin/petstore.js', 'serve'], {
    DATA_DIR: directory,
    PORT: '4000',
    LOG_LEVEL: 'silent',
  })
  execFileSync(process.execPath, [vite, 'build', frontend, '--logLevel', 'error'], {
    cwd: root,
    stdio: 'inherit',
  })
  const app = await start([vite, 'preview', frontend], {})
  await takePictures({ demo, app }, readFileSync(join(directory, 'demo-key'), 'utf8').trim())
} finally {
  for (const program of programs) program.kill('SIGTERM')
  rmSync(directory, { recursive: true, force: true })
}

/** Starts a script with this Node. @returns the address that it prints */
async function start(args: string[], env: Record<string, string>): Promise<string> {
  const program = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', DATABASE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  programs.push(program)
  for await (const line of createInterface(program.stdout)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (address) return address
  }
  await once(program, 'exit')
  throw new Error(`${args.join(' ')} has ended`)
}

function fileOf(name: string, colorScheme: string): string {
  return join(root, 'docs', 'pictures', `${name}-${colorScheme}.webp`)
}

async function takePictures(addresses: { demo: string; app: string }, key: string): Promise<void> {
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name, width, height, url, prepare } of pictures) {
      const page = await browser.newPage({
        colorScheme,
        deviceScaleFactor: 2,
        viewport: { width, height },
      })
      page.setDefaultTimeout(120_000)
      await page.goto(url(addresses))
      await prepare(page, key)
      await page.evaluate('document.fonts.ready')
      await page.evaluate(UNTIL_SETTLED)
      const file = fileOf(name, colorScheme)
      await page.screenshot({ path: file, type: 'webp', quality: 80 })
      console.log(file)
      await page.close()
    }
  }
  // Last, since it creates a pet.
  await takeMovingPicture(browser, `${addresses.demo}/#key=${key}`, (colorScheme) =>
    fileOf('live', colorScheme),
  )
  await browser.close()
}
