/** What becomes of log lines that are not read, or not yet written, in a process whose stderr is a pipe. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { pathInProject } from '../../../src/base/project-root.ts'

/** Starts a process that runs a script with `log`, a log output. */
function startLogger(script: string) {
  const program = `
    import { createLogOutput } from './src/commands/log-output.ts'
    const log = createLogOutput()
    ${script}`
  const args = ['--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { cwd: pathInProject('.'), stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, exited: once(child, 'exit') }
}

/** In characters, which are bytes here. */
const [LIMIT, ONE_WRITE, LINE] = [8 * 2 ** 20, 70_000, 100]

it('8 MiB of lines wait for a slow reader; more are dropped, each as a whole, and later ones written again', async () => {
  // All in one iteration of the event loop: 20 MB.
  const { child } = startLogger(`
    for (let index = 0; index < 200_000; index += 1) log.write(\`\${index} \`.padEnd(${LINE - 1}, '.') + '\\n')
    process.stdout.write('written')
    process.stdin.once('data', () => {
      log.write('later\\n')
      process.stdin.destroy()
    })`)
  await once(child.stdout, 'data')
  let text = ''
  let isTold = false
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text += part
    if (isTold || text.length < LIMIT - ONE_WRITE) return
    isTold = true
    child.stdin.write('go on')
  })
  await once(child, 'close')
  const lines = text.split('\n')
  expect(lines.splice(-2)).toEqual(['later', ''])
  // The last lines are written when those before have begun to be read.
  expect(lines.length * LINE).toBeLessThanOrEqual(LIMIT + ONE_WRITE)
  const indices = lines.map((line) => Number.parseInt(line))
  expect(lines).toEqual(indices.map((index) => `${index} `.padEnd(LINE - 1, '.')))
  expect(indices).toEqual(indices.toSorted((one, other) => one - other))
})

it('a process whose log is no longer read goes on', async () => {
  const { child, exited } = startLogger(`
    let lines = 0
    setInterval(() => {
      log.write('line\\n')
      if ((lines += 1) === 20) process.exit(0)
    }, 10)`)
  await once(child.stderr, 'data')
  child.stderr.destroy()
  expect(await exited).toEqual([0, null])
})
