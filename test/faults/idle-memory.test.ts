import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../support/process.ts'

/** Makes 300 MB of garbage that has become old, and then prints its resident memory in MB each second. */
const PROGRAM = `
  import { saveMemoryWhileIdle } from ${JSON.stringify(join(ROOT, 'src', 'base', 'idle-memory.ts'))}
  saveMemoryWhileIdle()
  let objects = []
  for (let count = 0; count < 3e6; count += 1) objects.push({ count, list: [count] })
  objects = null
  setInterval(() => console.log(Math.round(process.memoryUsage().rss / 2 ** 20)), 1_000)
`

it('after a burst, a process that is idle gives its memory back', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  let first: number | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    const megabytes = Number(line)
    first ??= megabytes
    expect(first).toBeGreaterThan(300)
    // Without the saving it stays as it is until the test times out.
    if (megabytes < first / 2) return
  }
  expect.fail('the process ended')
})
