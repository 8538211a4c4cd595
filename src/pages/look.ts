/** The look that all pages share: colours, type, the bar at the top, and the icon. */

/** A paw. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0f766e"/>
<g fill="#fff"><ellipse cx="9" cy="14.5" rx="2.6" ry="3.4"/><ellipse cx="13.6" cy="9" rx="2.7" ry="3.6"/>
<ellipse cx="18.9" cy="9" rx="2.7" ry="3.6"/><ellipse cx="23.3" cy="14.5" rx="2.6" ry="3.4"/>
<path d="M16.2 14.8c3.4 0 6.6 4.3 6.6 7.2 0 2-1.5 3-3.2 3-1.4 0-2-.7-3.4-.7s-2 .7-3.4.7c-1.7 0-3.2-1-3.2-3 0-2.9 3.2-7.2 6.6-7.2z"/></g>
</svg>
`

const LIGHT = `
  --site-text: #14201f;
  --site-muted: #52605e;
  --site-background: #ffffff;
  --site-raised: #f3f7f6;
  --site-line: #d5dfdd;
  --site-accent: #0f766e;
  --site-on-accent: #ffffff;
  --site-good: #15803d;
  --site-bad: #b91c1c;
`

const DARK = `
  --site-text: #e6eeec;
  --site-muted: #a3b3b0;
  --site-background: #101817;
  --site-raised: #1a2523;
  --site-line: #32413e;
  --site-accent: #5eead4;
  --site-on-accent: #06231f;
  --site-good: #4ade80;
  --site-bad: #fca5a5;
`

/** Scalar and GraphiQL mark the scheme that their user has chosen with a class. */
export const PAGE_STYLE = `
:root {${LIGHT}
  --site-font: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  --site-code: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
  --site-bar-height: 48px;
}
@media (prefers-color-scheme: dark) {
  :root {${DARK}}
}
body.light-mode, body.graphiql-light {${LIGHT}}
body.dark-mode, body.graphiql-dark {${DARK}}
body {
  margin: 0;
  background: var(--site-background);
  color: var(--site-text);
  font-family: var(--site-font);
}
.site-bar {
  box-sizing: border-box;
  height: var(--site-bar-height);
  padding: 0 16px;
  display: flex;
  align-items: center;
  gap: 20px;
  background: var(--site-background);
  border-bottom: 1px solid var(--site-line);
  font: 15px/1.4 var(--site-font);
}
.site-bar a {
  color: var(--site-muted);
  text-decoration: none;
}
.site-bar a:hover, .site-bar a[aria-current] {
  color: var(--site-accent);
}
.site-bar .site-name {
  display: flex;
  align-items: center;
  gap: 8px;
  color: var(--site-text);
  font-weight: 600;
  white-space: nowrap;
}
.site-bar nav {
  display: flex;
  gap: 16px;
}
.site-button, .site-input {
  font: inherit;
  border-radius: 6px;
  border: 1px solid var(--site-line);
  padding: 6px 12px;
  background: var(--site-background);
  color: var(--site-text);
}
.site-button {
  cursor: pointer;
  white-space: nowrap;
}
.site-button:hover {
  border-color: var(--site-accent);
  color: var(--site-accent);
}
.site-button.site-primary {
  background: var(--site-accent);
  border-color: var(--site-accent);
  color: var(--site-on-accent);
}
.site-bar :focus-visible, .site-main :focus-visible {
  outline: 2px solid var(--site-accent);
  outline-offset: 2px;
}
.site-main {
  max-width: 860px;
  margin: 0 auto;
  padding: 32px 16px 64px;
  font: 16px/1.6 var(--site-font);
}
.site-main h1 {
  margin: 0 0 8px;
  font-size: 32px;
  line-height: 1.2;
}
.site-main h2 {
  margin: 0 0 4px;
  font-size: 20px;
}
.site-main p {
  margin: 0 0 12px;
}
.site-main a {
  color: var(--site-accent);
}
.site-muted {
  color: var(--site-muted);
}
`
