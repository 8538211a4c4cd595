import { retryDelay } from './retry-delay.js'

/**
 * Follows a stream, again after each end. A hidden tab does not: it would keep one of the browser's six connections.
 * @param {(signal: AbortSignal, onStart: () => void) => Promise<boolean>} connect connects once, until the signal or the stream ends it, and
 * calls `onStart` when the stream has begun; resolves with whether to connect again; rejects with a fault, which ends everything
 * @param {AbortSignal} signal ends it
 */
export async function follow(connect, signal) {
  for (let failures = 0; ; failures++) {
    if (document.hidden) await whenVisibilityChanges()
    if (signal.aborted) return
    const hidden = new AbortController()
    void whenVisibilityChanges(hidden.signal).then(() => hidden.abort())
    try {
      const onStart = () => void (failures = 0)
      if (!(await connect(AbortSignal.any([signal, hidden.signal]), onStart))) return
    } finally {
      hidden.abort()
    }
    if (!document.hidden) await new Promise((resolve) => setTimeout(resolve, retryDelay(failures)))
  }
}

/** @param {AbortSignal} [signal] ends the wait without a response */
const whenVisibilityChanges = (signal) =>
  new Promise((resolve) => {
    document.addEventListener('visibilitychange', resolve, { once: true, ...(signal && { signal }) })
  })
