/**
 * Workaround for a fault of @electric-sql/pglite-socket 0.2.17. test/network/workarounds/pglite.test.ts shows it: a test that fails there
 * says that it has been mended.
 *
 * - Once PGlite has thrown, its server answers no statement any more, on any connection, and does not say so:
 *   https://github.com/electric-sql/pglite/issues/1046 (`watchFailures`).
 *
 * The same issue has the other reason why the server uses one connection (db/embedded/embedded-database.ts): statements of several
 * connections, which share one session, are mixed.
 */

/**
 * Reports what PGlite throws, such as when the disk is full. Errors of statements are not thrown: they are messages to the client.
 * @param execute how PGlite gets each message of a client (`execProtocolRawStream`)
 * @param onFailure called once the failed statement has been answered
 * @returns to be used in its place
 */
export function watchFailures<Args extends unknown[]>(
  execute: (...args: Args) => Promise<void>,
  onFailure: (error: unknown) => void,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await execute(...args)
    } catch (error) {
      setImmediate(() => onFailure(error))
      throw error
    }
  }
}
