import eslint from '@eslint/js'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  // bench has packages of its own, which are not there before it is run: its own check looks at it.
  { ignores: ['**/generated/', 'drizzle/', 'node_modules/', 'dist/', 'bench/'] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Numbers and bigints read well in messages.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Fastify takes an async function as a plugin and as a hook, whether it awaits or not.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
    },
  },
  {
    files: ['test/**'],
    rules: {
      // Vitest's matchers are of type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  { files: ['eslint.config.js'], extends: [tseslint.configs.disableTypeChecked] },
)
