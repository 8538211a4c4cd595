interface ImportMetaEnv {
  /** The address of the server; `http://127.0.0.1:4000` if absent. Read when the app is built. */
  readonly VITE_API_URL?: string
}
