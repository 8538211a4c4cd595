export const HOME_STYLE = `
.home-card {
  margin: 24px 0 0;
  padding: 20px 20px 8px;
  border: 1px solid var(--site-line);
  border-radius: 12px;
}
.home-card > p > a {
  display: inline-block;
  margin-right: 20px;
  padding: 4px 0;
}
.home-command {
  display: grid;
  grid-template-columns: 1fr auto;
  align-items: center;
  gap: 6px;
  margin: 16px 0;
}
.home-command figcaption {
  color: var(--site-muted);
  font-size: 14px;
}
.home-command .site-button {
  padding: 3px 10px;
  font-size: 14px;
}
.home-command pre {
  grid-column: 1 / -1;
  margin: 0;
  padding: 12px 14px;
  overflow-x: auto;
  background: var(--site-raised);
  border-radius: 8px;
  font: 14px/1.5 var(--site-code);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
#status.is-ready {
  color: var(--site-good);
}
#status.is-not-ready {
  color: var(--site-bad);
}
`

/** Completes the addresses in the commands, makes the copy buttons work, and shows whether the server is ready. */
export const HOME_SCRIPT = `
const origin = new URL('.', location.href).href.replace(/\\/$/, '')

for (const code of document.querySelectorAll('.home-command code')) {
  code.textContent = code.textContent.replace('{origin}', origin)
}

/** Clipboard access needs HTTPS or localhost; a selection can be copied anywhere. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
  } catch {
    getSelection().selectAllChildren(code)
    return document.execCommand('copy')
  }
  return true
}
for (const button of document.querySelectorAll('.home-command button')) {
  const title = button.textContent
  button.addEventListener('click', async () => {
    const isCopied = await copy(button.parentElement.querySelector('code'))
    button.textContent = isCopied ? 'Copied' : 'Press Ctrl-C'
    setTimeout(() => (button.textContent = title), 2000)
  })
}

async function showStatus() {
  const link = document.getElementById('status')
  const response = await fetch(link.href).catch(() => null)
  link.textContent = response?.ok ? 'ready' : 'not ready'
  link.className = response?.ok ? 'is-ready' : 'is-not-ready'
}
showStatus()
`
