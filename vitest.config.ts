import { existsSync, globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { isCitus } from './test/support/citus.ts'

/** Without isolation, test files in a worker share modules, most of which take long to load. */
const shared = { isolate: false, restoreMocks: true }
const databases = { globalSetup: 'test/support/databases.ts' }
const service = { ...shared, ...databases, include: ['test/service/**/*.test.ts'] }

/** @param names of files in test/service, or patterns @throws Error if there is no such file */
function findServiceTests(...names: string[]): string[] {
  const patterns = names.map((name) => `test/service/${name}.test.ts`)
  const missing = patterns.find((pattern) => globSync(pattern).length === 0)
  if (missing !== undefined) throw new Error(`There is no ${missing}`)
  return patterns
}

/** What differs on Postgres: events by triggers, locks, plans, sessions, the SQL for Citus. `npm test` runs only these there. */
const onPostgres = findServiceTests(
  'conformance',
  'masked-errors',
  'db/**/*',
  'graphql/live/subscriptions',
  'resource/*',
  'rest/idempotency',
  'server/health',
)

const plans = findServiceTests('resource/page-plans')

/** What may need a session, which a pooler does not keep; `POOLER_TESTS=all` runs all tests of the service through it. */
const throughPooler =
  process.env.POOLER_TESTS === 'all'
    ? service.include
    : findServiceTests(
        'rest/contract',
        'rest/idempotency',
        'graphql/live/subscriptions',
        'graphql/conditional-changes',
        'resource/joined-requests',
      )
const hasPgbouncer = existsSync(process.env.PGBOUNCER || '/usr/sbin/pgbouncer')
if (!hasPgbouncer) console.warn('The service is not tested through a pooler: PgBouncer is missing.')

/** TEST_DATABASE_URL names the coordinator of a Citus cluster, which no package provides. */
const hasCitus = await isCitus(process.env.TEST_DATABASE_URL)
if (!hasCitus)
  console.warn('The service is not tested on Citus: TEST_DATABASE_URL does not name a Citus coordinator.')

export default defineConfig({
  test: {
    // Node runs the sources as in production; Vite's own resolution would bring a second copy of graphql-js.
    experimental: { viteModuleRunner: false },
    // The time limits only end tests that hang. A busy machine may need many times what an idle one does, so no test is right or wrong by them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // More than there are cores, since many tests only wait: for what they have started, or for a time limit to pass.
    maxWorkers: availableParallelism() + 1,
    tags: [
      {
        name: 'slow',
        description: 'What `npm test` leaves out: it starts many processes, or tries what is rare.',
      },
    ],
    coverage: { include: ['src/**/*.ts'], exclude: ['src/generated/**'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...shared,
          include: ['test/unit/**/*.test.ts', 'test/conformance/*.test.ts'],
          setupFiles: 'test/support/no-sockets.ts',
        },
      },
      // The scripts of pages, in a document without a browser; test/tools/pages has one.
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'happy-dom',
          restoreMocks: true,
          include: ['test/dom/**/*.test.ts'],
        },
      },
      // Parts of the server over real connections, without a database.
      { extends: true, test: { name: 'network', ...shared, include: ['test/network/**/*.test.ts'] } },
      // The checkout itself: its documents, generated files and boundaries.
      { extends: true, test: { name: 'project', ...shared, include: ['test/project/**/*.test.ts'] } },
      // The service behaves the same over HTTP on both databases.
      {
        extends: true,
        test: { name: 'embedded', ...service, exclude: plans, env: { TEST_DATABASE: 'embedded' } },
      },
      {
        extends: true,
        test: { name: 'postgres', ...service, include: onPostgres, env: { TEST_DATABASE: 'postgres' } },
      },
      // What is the same on Postgres.
      {
        extends: true,
        test: { name: 'postgres-same', ...service, exclude: onPostgres, env: { TEST_DATABASE: 'postgres' } },
      },
      ...(hasPgbouncer
        ? [
            {
              extends: true as const,
              test: { name: 'pooler', ...service, include: throughPooler, env: { TEST_DATABASE: 'pooler' } },
            },
          ]
        : []),
      ...(hasCitus
        ? [
            {
              extends: true as const,
              // Plans of distributed queries look different; db/citus.test.ts checks them.
              test: { name: 'citus', ...service, exclude: plans, env: { TEST_DATABASE: 'citus' } },
            },
          ]
        : []),
      // Processes that are started and stopped.
      {
        extends: true,
        test: { name: 'process', ...shared, ...databases, include: ['test/process/**/*.test.ts'] },
      },
      // Other programs: a browser, generators of clients, a balancer, a pooler, the commands of the Dockerfile.
      { extends: true, test: { name: 'tools', ...databases, include: ['test/tools/**/*.test.ts'] } },
      // Faults around the server, and attacks on it.
      { extends: true, test: { name: 'faults', ...databases, include: ['test/faults/**/*.test.ts'] } },
      // Random clients during faults, whose answers are checked for contradictions.
      {
        extends: true,
        test: {
          name: 'histories',
          ...databases,
          include: ['test/histories/**/*.test.ts'],
          // A round has up to 50,000 operations.
          testTimeout: 1_800_000,
        },
      },
    ],
  },
})
