/** Everything that GraphiQL gives colours to. */
const PARTS =
  ':is(.graphiql-container, .graphiql-dialog, .graphiql-dialog-overlay, .graphiql-tooltip, [data-radix-popper-content-wrapper])'

/** As hue, saturation and lightness. GraphiQL's own have too little contrast. */
const LIGHT = `
  --color-primary: 175, 77%, 26%;
  --color-info: 208, 100%, 32%;
  --color-warning: 33, 100%, 27%;
  --color-tertiary: 188, 100%, 24%;
  --color-success: 158, 100%, 22%;
  --color-base: 0, 0%, 100%;
  --color-neutral: 219, 28%, 32%;
`
const DARK = `
  --color-primary: 171, 77%, 64%;
  --color-info: 208, 100%, 72%;
  --color-warning: 30, 100%, 80%;
  --color-tertiary: 188, 100%, 44%;
  --color-success: 158, 100%, 42%;
  --color-base: 173, 20%, 8%;
  --color-neutral: 170, 12%, 80%;
`

/** Changes to GraphiQL's style sheet, and the form for the key. */
export const GRAPHIQL_STYLE = `
body {
  display: flex;
  flex-direction: column;
  height: 100vh;
  height: 100dvh;
}
#root {
  flex: 1;
  min-height: 0;
}
.graphiql-container {
  width: 100%;
  height: 100%;
}
html:root body ${PARTS} {
  --font-family: var(--site-font);
  --font-family-mono: var(--site-code);
}
@media (prefers-color-scheme: light) {
  html:root body ${PARTS} {${LIGHT}}
}
@media (prefers-color-scheme: dark) {
  html:root body ${PARTS} {${DARK}}
}
html:root body.graphiql-light ${PARTS} {${LIGHT}}
html:root body.graphiql-dark ${PARTS} {${DARK}}
html .graphiql-container .graphiql-execute-button, html .graphiql-container .graphiql-execute-button:hover {
  background-color: #0f766e;
}
/* The bar above has the name of the page. */
.graphiql-container .graphiql-logo {
  display: none;
}
/* Links look like links. */
.graphiql-markdown-description a, .graphiql-markdown-deprecation a {
  color: var(--site-accent);
  text-decoration: underline;
}
.graphiql-doc-explorer a.graphiql-doc-explorer-type-name {
  text-decoration: underline;
}
.monaco-editor .dimmed-line-number {
  color: hsl(var(--color-neutral)) !important;
}
.site-bar #change-key {
  margin-left: auto;
  padding: 3px 10px;
  font-size: 14px;
}
.key-form {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 8px;
}
.key-form .site-input {
  flex: 1 1 240px;
  font-family: var(--site-code);
}
.key-problem {
  min-height: 1.6em;
  color: var(--site-bad);
}
/* An untouched tab has an invisible offset, which would make it jump away from a click. */
.graphiql-tab {
  transform: none !important;
}
/* On phones: result below the query, tabs at full width. */
@media (max-width: 700px) {
  .graphiql-container .graphiql-horizontal-drag-bar {
    display: none;
  }
  .graphiql-container #graphiql-session {
    flex-direction: column;
  }
  .graphiql-container .graphiql-editors {
    flex: 3 1 0% !important;
  }
  .graphiql-container .graphiql-response {
    flex: 2 1 0% !important;
  }
  .graphiql-container .graphiql-main {
    overflow-x: auto;
  }
  .graphiql-container .graphiql-sessions {
    min-width: 300px;
  }
}
`
