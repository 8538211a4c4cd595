import eslint from '@eslint/js'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  // bench has its own packages, installed when it is first run, and its own check.
  { ignores: ['**/generated/', '**/.generated-*/', 'drizzle/', 'node_modules/', '**/dist/', 'bench/'] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js', 'check-node.cjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Numbers and bigints are fine in messages.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Fastify accepts async functions as plugins and hooks, even without await.
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
      // Vitest's matchers have type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['src/*/assets/**'],
    rules: {
      // The type checker knows the names that browsers define.
      'no-undef': 'off',
      // The rule does not see the types that comments give to what was parsed.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  { files: ['eslint.config.js', 'check-node.cjs'], extends: [tseslint.configs.disableTypeChecked] },
  // Plain JavaScript, which no type checker reads: these are the names of Node that it uses.
  { files: ['check-node.cjs'], languageOptions: { globals: { process: 'readonly', console: 'readonly' } } },
)
