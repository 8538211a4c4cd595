import { defineConfig } from 'vitest/config'

const service = { include: ['test/service/**/*.test.ts'], globalSetup: 'test/support/databases.ts' }

export default defineConfig({
  test: {
    // Node runs the sources as in production; Vite's own resolution would bring a second copy of graphql-js.
    experimental: { viteModuleRunner: false },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      // Without isolation, test files in a worker share modules, most of which take long to load.
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false, restoreMocks: true },
      },
      // Tests that run other tools on the project, such as generators and compilers.
      { extends: true, test: { name: 'project', include: ['test/project/**/*.test.ts'] } },
      // The service behaves the same over HTTP on both databases.
      { extends: true, test: { name: 'embedded', ...service, env: { TEST_DATABASE: 'embedded' } } },
      { extends: true, test: { name: 'postgres', ...service, env: { TEST_DATABASE: 'postgres' } } },
      // Processes that are started, stopped and killed, and databases that go away.
      {
        extends: true,
        test: {
          name: 'process',
          include: ['test/process/**/*.test.ts'],
          globalSetup: 'test/support/databases.ts',
          testTimeout: 60_000,
        },
      },
    ],
  },
})
