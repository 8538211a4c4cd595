import type { PGlite } from '@electric-sql/pglite'

/**
 * Reports what PGlite throws, such as when the disk is full: errors of statements are messages to the client. Its server
 * (@electric-sql/pglite-socket 0.2.17) answers no statement from then on, on any connection.
 * @param onFailure called once the failed statement has been answered
 */
export function watchFailures(
  database: Pick<PGlite, 'execProtocolRawStream'>,
  onFailure: (error: unknown) => void,
): void {
  const execute = database.execProtocolRawStream.bind(database)
  database.execProtocolRawStream = async (message, options) => {
    try {
      await execute(message, options)
    } catch (error) {
      setImmediate(() => onFailure(error))
      throw error
    }
  }
}
