/** Takes the pictures in docs/pictures of a running demo, in light and dark: `npm run pictures`. It needs Chromium. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Page } from 'playwright-core'

const root = join(import.meta.dirname, '..')
const executablePath = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (!executablePath) throw new Error('Chromium was not found. Set CHROMIUM to its path.')

interface Picture {
  name: string
  url: (addresses: { demo: string; app: string }) => string
  /** Brings the page into the state to be shown. */
  prepare: (page: Page, key: string) => Promise<void>
}

const pictures: Picture[] = [
  {
    name: 'home',
    url: ({ demo }) => demo,
    async prepare(page) {
      await page.getByText('ready', { exact: true }).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      await page.locator('#pet-rows tr').first().waitFor()
    },
  },
  {
    name: 'docs',
    url: ({ demo }) => `${demo}/docs#tag/pets/listPets`,
    prepare: (page) =>
      page
        .getByRole('button', { name: /Test Request/ })
        .first()
        .waitFor(),
  },
  {
    name: 'graphiql',
    url: ({ demo }) => `${demo}/graphql`,
    async prepare(page) {
      await page.getByRole('button', { name: /Execute query/ }).click()
      await page.locator('.result-window').getByText('nodes').waitFor()
      // The editor colours words a moment after it shows them in the colour of mtk1.
      await page.locator('.view-line .mtk1', { hasText: /\w/ }).first().waitFor({ state: 'detached' })
    },
  },
  {
    name: 'example',
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

async function takePictures(addresses: { demo: string; app: string }, key: string): Promise<void> {
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name, url, prepare } of pictures) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 750 } })
      await page.goto(url(addresses))
      await prepare(page, key)
      await page.evaluate('document.fonts.ready')
      await page.evaluate(UNTIL_SETTLED)
      const file = join(root, 'docs', 'pictures', `${name}-${colorScheme}.webp`)
      await page.screenshot({ path: file, type: 'webp', quality: 80 })
      console.log(file)
      await page.close()
    }
  }
  await browser.close()
}
