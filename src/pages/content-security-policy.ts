/**
 * The content security policies of all pages and their files: a page runs scripts from files of this server and no others, and loads from
 * this server.
 */

const PAGE_DIRECTIVES = {
  'default-src': `'none'`,
  'script-src': `'self'`,
  'style-src': `'self'`,
  'connect-src': `'self'`,
  'img-src': `'self'`,
}

/** @param changes what a page needs besides, or instead */
function createPolicy(changes: Record<string, string> = {}): string {
  const directives = {
    ...PAGE_DIRECTIVES,
    ...changes,
    'base-uri': `'none'`,
    'form-action': `'none'`,
    'frame-ancestors': `'none'`,
  }
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

const PLAIN_POLICY = createPolicy()

/** @param origins those of the contract's servers, which requests tried on the page go to */
export function createDocsPolicy(origins: readonly string[]): string {
  return createPolicy({
    // Scalar positions its parts with style attributes. The other directives limit what styles may load.
    'style-src': `'self' 'unsafe-inline'`,
    'connect-src': [`'self'`, ...new Set(origins)].join(' '),
    'img-src': `'self' data:`,
  })
}

export const GRAPHIQL_POLICY = createPolicy({
  'worker-src': `'self'`,
  // Monaco positions each line of text with a style attribute. The other directives limit what styles may load.
  'style-src': `'self' 'unsafe-inline'`,
  'img-src': `'self' data:`,
  'font-src': 'data:',
})

/** Of a script or a style sheet: workers do not inherit the page's policy. */
export const FILE_POLICY = `default-src 'none'`

/** The headers that tell a browser what a page may do. */
export function pageSecurityHeaders(policy = PLAIN_POLICY): Record<string, string> {
  return { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }
}
