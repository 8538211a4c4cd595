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

/** The part of PGlite through which its server passes all messages of clients on. */
interface MessageReceiver<Args extends unknown[]> {
  execProtocolRawStream: (...args: Args) => Promise<void>
}

/**
 * Reports what PGlite throws, such as when the disk is full. Errors of statements are not thrown: they are messages to the client.
 * @param onFailure called once the failed statement has been answered
 */
export function watchFailures<Args extends unknown[]>(
  database: MessageReceiver<Args>,
  onFailure: (error: unknown) => void,
): void {
  const execute = database.execProtocolRawStream.bind(database)
  database.execProtocolRawStream = async (...args) => {
    try {
      await execute(...args)
    } catch (error) {
      setImmediate(() => onFailure(error))
      throw error
    }
  }
}
