/** Options that Node must have before it starts, so each way to start a server sets them: the size of V8's young generation, and no inspector. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../support/process.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
const [unit] = /^ExecStart=.*$/m.exec(read('deploy/petstore.service')) ?? []
const [image] = /^ENTRYPOINT .*$/m.exec(read('Dockerfile')) ?? []

it.each([
  ['npm start', scripts.start],
  ['npm run dev', scripts.dev],
  ['npm run petstore', scripts.petstore],
])('the young generation has 16 MB, and SIGUSR1 opens no inspector, with %s', (_, command) => {
  expect(command).toMatch(/\bnode --max-semi-space-size=16 --disable-sigusr1\b/)
})

it.each([
  ['the systemd unit', unit],
  ['the image', image],
])('%s starts petstore itself, which sets the options of Node', (_, command) => {
  expect(command).toMatch(/[="]petstore\b/)
  expect(command).not.toMatch(/\bnode\b/)
})
