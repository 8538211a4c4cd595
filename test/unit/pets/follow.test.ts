import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { follow } from '../../../src/pets/assets/follow.js'

/** What the test changes of the page. */
const page = Object.assign(new EventTarget(), { hidden: false })

beforeEach(() => {
  vi.useFakeTimers()
  page.hidden = false
  vi.stubGlobal('document', page)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

interface Connection {
  signal: AbortSignal
  start: () => void
  /** @param isAgain whether to connect again */
  end: (isAgain: boolean) => Promise<void>
}

/** Follows a stream that ends when its signal says so, or the test. */
function start() {
  const connections: Connection[] = []
  const user = new AbortController()
  const following = follow((signal, onStart) => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    signal.addEventListener('abort', () => resolve(true))
    const end = async (isAgain: boolean) => {
      resolve(isAgain)
      await vi.advanceTimersByTimeAsync(0)
    }
    connections.push({ signal, start: onStart, end })
    return promise
  }, user.signal)
  return { connections, user, following }
}

async function setHidden(hidden: boolean): Promise<void> {
  page.hidden = hidden
  page.dispatchEvent(new Event('visibilitychange'))
  await vi.advanceTimersByTimeAsync(0)
}

it('connects again less and less often, and soon after a stream that had begun', async () => {
  const { connections } = start()
  for (const delay of [500, 1000, 2000, 4000, 8000, 8000]) {
    const count = connections.length
    await connections.at(-1)?.end(true)
    await vi.advanceTimersByTimeAsync(delay - 1)
    expect(connections).toHaveLength(count)
    await vi.advanceTimersByTimeAsync(1)
    expect(connections).toHaveLength(count + 1)
  }
  connections.at(-1)?.start()
  await connections.at(-1)?.end(true)
  await vi.advanceTimersByTimeAsync(500)
  expect(connections).toHaveLength(8)
})

it('has no connection while the tab is hidden, and has one at once when it is shown', async () => {
  page.hidden = true
  const { connections } = start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(connections).toHaveLength(0)
  await setHidden(false)
  expect(connections).toHaveLength(1)
  await setHidden(true)
  expect(connections[0]?.signal.aborted).toBe(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(connections).toHaveLength(1)
  await setHidden(false)
  expect(connections).toHaveLength(2)
})

it('ends with its signal, also while the tab is hidden', async () => {
  page.hidden = true
  const { connections, user, following } = start()
  user.abort()
  await setHidden(false)
  await following
  expect(connections).toHaveLength(0)
})

it('ends with its signal, or when there is no use in another connection', async () => {
  const ended = start()
  ended.user.abort()
  await vi.advanceTimersByTimeAsync(60_000)
  await ended.following
  expect(ended.connections).toHaveLength(1)

  const rejected = start()
  await rejected.connections[0]?.end(false)
  await rejected.following
  await vi.advanceTimersByTimeAsync(60_000)
  expect(rejected.connections).toHaveLength(1)
})
