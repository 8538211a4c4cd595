/** What pino does wrong: when the test of the fault fails, it has been mended, and its way around in `workarounds/pino.ts` can go. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { pathInProject } from '../../../src/base/project-root.ts'

const FAULTY = `
  import { pino } from 'pino'
  const destination = pino.destination({ fd: 2, sync: false }).on('error', () => undefined)`
const MENDED = `
  import { createDestination } from './src/workarounds/pino.ts'
  const destination = createDestination({ fd: 2, maxLength: 1_000 }, () => undefined)`

/**
 * Starts a process that writes two lines where none can be written, and ends when it knows that of the first.
 * @returns when it has ended, and when it is about to end
 */
function startWriter(createDestination: string) {
  const full = openSync('/dev/full', 'w')
  const script = `${createDestination}
    destination.write('first\\n')
    setTimeout(() => process.stdout.write('.', () => {
      destination.write('second\\n')
      process.exit(0)
    }), 100)`
  const args = ['--input-type=module', '--eval', script]
  const child = spawn(process.execPath, args, { cwd: pathInProject('.'), stdio: ['ignore', 'pipe', full] })
  closeSync(full)
  onTestFinished(() => void child.kill('SIGKILL'))
  const ending = new Promise((resolve) => child.stdout?.once('data', resolve))
  return { exited: once(child, 'exit'), ending }
}

/** Only Linux has /dev/full. */
const onLinux = it.skipIf(process.platform !== 'linux')

onLinux(
  'a fault of pino: a process does not end whose last lines cannot be written (createDestination)',
  async () => {
    const { exited, ending } = startWriter(FAULTY)
    await ending
    expect(await Promise.race([exited, setTimeout(1_000, 'running')])).toBe('running')
  },
)

onLinux('around it, the process ends', async () => {
  const { exited } = startWriter(MENDED)
  expect(await exited).toEqual([0, null])
})
