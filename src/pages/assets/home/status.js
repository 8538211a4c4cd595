/** Shows on the home page whether the server is ready. */
import { byId } from '../shared/dom.js'

/** Milliseconds within which a server that can be reached says whether it is ready. */
const ANSWER_LIMIT_MS = 5_000

/** Gives up the latest question. */
let asking = new AbortController()

/** Asks the server whether it is ready, and shows the answer, unless it is asked again meanwhile. */
export async function showStatus() {
  asking.abort()
  const { signal } = (asking = new AbortController())
  const link = byId('status', HTMLAnchorElement)
  const ended = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)])
  const response = await fetch(link.href, { signal: ended }).catch(() => null)
  if (signal.aborted) return
  link.textContent = response === null ? 'not reachable' : response.ok ? 'ready' : 'not ready'
  link.className = response?.ok ? 'is-ready' : 'is-not-ready'
}
