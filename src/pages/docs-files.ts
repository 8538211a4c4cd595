export const DOCS_STYLE = `
:root {
  --scalar-custom-header-height: var(--site-bar-height);
}
.site-bar {
  position: sticky;
  top: 0;
  z-index: 100;
}
.light-mode, .dark-mode {
  --scalar-color-accent: var(--site-accent);
  --scalar-font: var(--site-font);
  --scalar-font-code: var(--site-code);
}
`

/** Starts Scalar. */
export const DOCS_SCRIPT = `
const settings = JSON.parse(document.getElementById('settings').textContent)
const STORED_KEY = 'pet-store:api-key'

Scalar.createApiReference('#docs', {
  url: settings.contract,
  authentication: {
    preferredSecurityScheme: 'bearerAuth',
    securitySchemes: { bearerAuth: { token: sessionStorage.getItem(STORED_KEY) ?? settings.secret ?? '' } },
  },
  // Nothing is sent anywhere else.
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  generateOperationSlug: ({ operationId }) => operationId,
})
`
