import { defineConfig } from 'vite'

/** Not the server's port: in production, too, the app and the API often have different origins. */
const address = { host: '127.0.0.1', port: 4100, strictPort: true }

// Vite compiles JSX by itself, as tsconfig.json says. @vitejs/plugin-react would add hot reloading that keeps the state.
export default defineConfig({ server: address, preview: address })
