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
.graphiql-container, .graphiql-dialog, .graphiql-tooltip, [data-radix-popper-content-wrapper] {
  --font-family: var(--site-font);
  --font-family-mono: var(--site-code);
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
