/** Shows on the home page whether the server is ready. */
import { byId } from './dom.js'

/** Milliseconds within which a server that can be reached says whether it is ready. */
const ANSWER_LIMIT_MS = 5_000

/** The number of requests for the status so far: only the response to the last one is shown. */
let requests = 0

/** Asks the server whether it is ready, and shows the answer. */
export async function showStatus() {
  const number = ++requests
  const link = byId('status', HTMLAnchorElement)
  const response = await fetch(link.href, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }).catch(() => null)
  if (number !== requests) return
  link.textContent = response === null ? 'not reachable' : response.ok ? 'ready' : 'not ready'
  link.className = response?.ok ? 'is-ready' : 'is-not-ready'
}
