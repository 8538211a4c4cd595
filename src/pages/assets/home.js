/** Completes the addresses in the commands, makes the copy buttons work, and shows whether the server is ready. */
import { byId } from './dom.js'

const origin = new URL('.', location.href).href.replace(/\/$/, '')

/**
 * Clipboard access needs HTTPS or localhost; a selection can be copied anywhere.
 * @param {HTMLElement} code
 * @returns {Promise<boolean>} whether it has been copied
 */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
    return true
  } catch {
    getSelection()?.selectAllChildren(code)
    // Deprecated, and the only way without HTTPS.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    return document.execCommand('copy')
  }
}

for (const place of document.querySelectorAll('.origin')) place.textContent ||= origin
for (const command of document.querySelectorAll('.home-command')) {
  const [code, button] = [command.querySelector('code'), command.querySelector('button')]
  if (!code || !button) continue
  const title = button.textContent
  button.addEventListener('click', () => {
    void copy(code).then((isCopied) => {
      button.textContent = isCopied ? 'Copied' : 'Press Ctrl-C'
      setTimeout(() => (button.textContent = title), 2000)
    })
  })
}

/**
 * Shows the key in the commands.
 * @param {string} key
 * @param {boolean} isEntered whether the user has entered it
 */
export function showKey(key, isEntered) {
  for (const place of document.querySelectorAll('.api-key')) place.textContent = key
  byId('key-hint', HTMLElement).textContent = isEntered
    ? 'The commands contain your API key, which this tab keeps until you close it.'
    : 'The commands contain a key that only reads, because you are on the same machine.'
}

/** Counts the requests for the status: an answer that a later one has overtaken is not shown. */
let asked = 0

/** Asks the server whether it is ready, and shows the answer. */
export async function showStatus() {
  const number = ++asked
  const link = byId('status', HTMLAnchorElement)
  const response = await fetch(link.href).catch(() => null)
  if (number !== asked) return
  link.textContent = response === null ? 'not reachable' : response.ok ? 'ready' : 'not ready'
  link.className = response?.ok ? 'is-ready' : 'is-not-ready'
}
void showStatus()
