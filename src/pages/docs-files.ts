import { STORED_KEY } from './page.ts'

/** The shared look for Scalar. Scalar's own style sheet comes later, so each selector has to be more specific. */
export const DOCS_STYLE = `
:root {
  --scalar-custom-header-height: var(--site-bar-height);
}
.site-bar {
  position: sticky;
  top: 0;
  z-index: 100;
}
body.light-mode, body.dark-mode {
  --scalar-font: var(--site-font);
  --scalar-font-code: var(--site-code);
  --scalar-background-1: var(--site-background);
  --scalar-background-2: var(--site-raised);
  --scalar-border-color: var(--site-line);
  --scalar-color-1: var(--site-text);
  --scalar-color-2: var(--site-muted);
  --scalar-color-3: var(--site-muted);
  --scalar-color-accent: var(--site-accent);
  --scalar-link-color: var(--site-accent);
}
/* Scalar's own colours have too little contrast for small text. */
body.light-mode {
  --scalar-color-green: #047857;
  --scalar-color-blue: #0066a1;
  --scalar-color-orange: #a84300;
  --scalar-color-red: #b91c1c;
}
body.dark-mode {
  --scalar-color-red: #fca5a5;
}
/* A link to an operation focuses its section, which is no control. */
#docs section[tabindex='-1']:focus {
  outline: none;
}
/* All statuses are visible; otherwise, the last ones are behind the copy button. */
#docs .tab-list {
  flex-wrap: wrap;
  row-gap: 2px;
}
#docs .tab-list [aria-selected='true']::after {
  bottom: 0;
}
/* On a wide screen, Scalar leaves twice as much space. */
#docs .section {
  padding-block: 48px;
}
/* On phones, it would lie on top of the address. */
@media (max-width: 700px) {
  [role='dialog'] .scalar-sidebar-toggle {
    display: none;
  }
}
`

/** Runs before Scalar. */
export const DOCS_SCRIPT = `
const settings = JSON.parse(document.getElementById('settings').textContent)

// Scalar keeps the key in localStorage, where it would outlive the session.
Object.defineProperty(window, 'localStorage', { value: sessionStorage })

/** What Scalar gets wrong for screen readers: attributes by selector; null removes one. */
const REPAIRS = [
  ['button[class*=copy-button]:not([aria-label])', { 'aria-label': 'Copy', 'aria-controls': null }],
  ['.cm-content[role=textbox]:not([aria-label])', { 'aria-label': 'Code' }],
  ['[role=combobox]:not([aria-expanded])', { 'aria-expanded': 'false' }],
  ['button[role=none]', { role: 'button' }],
]
function repair() {
  for (const [selector, attributes] of REPAIRS) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name)
        else element.setAttribute(name, value)
      }
    }
  }
}

addEventListener('DOMContentLoaded', () => {
  new MutationObserver(repair).observe(document.body, { childList: true, subtree: true })
  Scalar.createApiReference('#docs', {
    url: settings.contract,
    authentication: {
      preferredSecurityScheme: 'bearerAuth',
      // GraphiQL's key.
      securitySchemes: { bearerAuth: { token: sessionStorage.getItem('${STORED_KEY}') ?? settings.secret ?? '' } },
    },
    persistAuth: true,
    // Nothing is sent to other servers.
    proxyUrl: '',
    telemetry: false,
    withDefaultFonts: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    // There is only one type; Scalar's longer text hides that authentication is required.
    localization: { translations: { apiClient: { authSelector: { selectedType: '{type}' } } } },
    agent: { disabled: true },
    mcp: { disabled: true },
    generateOperationSlug: ({ operationId }) => operationId,
  })
})
`
