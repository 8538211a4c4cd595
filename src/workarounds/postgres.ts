/**
 * Workarounds for postgres.js 3.4.9. test/network/workarounds/postgres.test.ts shows each fault but #1130: a test that fails there says that
 * it has been mended.
 *
 * Three faults are avoided by how HostConnection uses it (db/postgres/connections/host-connection.ts): a client of the driver has one connection, runs
 * one statement at a time (`run`), and is not used again after any failure (`#lose`).
 *
 * - After a lost connection, it may never send again: https://github.com/porsager/postgres/issues/1130. That happens by chance, with several
 *   connections: docs/decisions.md, 10, says how often.
 * - If its connection ends in the login, it connects again without end, and its query waits:
 *   https://github.com/porsager/postgres/issues/1193.
 * - After an error amid rows, the next result begins with holes: https://github.com/porsager/postgres/issues/1119.
 *
 * The others have a function each. No issue of theirs was found: instead of a link, each has its place in the driver's sources.
 *
 * - It reads an option from the environment, unless the option has a value: src/index.js, tsa (`ignoreTargetSessionAttrs`).
 * - It keeps the stack trace of each query that has failed, for ever: src/query.js, originStackCache (`keepNoStackTrace`).
 * - A query that is not prepared takes two round trips: src/connection.js, describeFirst (`sendAtOnce`).
 * - A query that was answered, and its rows, are only freed by a full garbage collection: src/query.js, resolve (`takeRows`).
 * - It does not say why Postgres has closed the connection: src/connection.js, ErrorResponse (`findFatalError`).
 * - If its request to cancel cannot be sent, the process ends: src/query.js, cancel (`requestCancel`).
 */
import { connect } from 'node:net'

/** Milliseconds that a request to cancel may take. */
const CANCEL_TIMEOUT_MS = 2_000
/** CancelRequest (PostgreSQL manual, 54.7). */
const CANCEL_REQUEST = 80_877_102

/** Lets the driver use the default of the option `target_session_attrs`: no value of it means that. */
export function ignoreTargetSessionAttrs(): void {
  delete process.env.PGTARGETSESSIONATTRS
}

/** Gives a query an empty stack trace: the driver keeps that of each query that fails in a Map, which nothing empties. */
export function keepNoStackTrace(query: object): void {
  Object.defineProperty(query, 'origin', { value: '' })
}

const NEVER = { get: () => false, set: () => undefined }

/**
 * Sends a query in one round trip. One that is not prepared yet takes two: the driver first asks Postgres for the types of its
 * parameters, although all of ours are texts, whose types Postgres knows itself.
 */
export function sendAtOnce(query: object): void {
  Object.defineProperty(query, 'describeFirst', NEVER)
}

/**
 * Takes the rows and the values out of a query that has been answered, so that they are freed before the query. The driver assigns two
 * functions to its properties, and V8 allocates such functions in the old generation.
 */
export function takeRows<Row>(query: object, rows: Row[]): Row[] {
  Object.assign(query, { args: [], parameters: [] })
  // Not `splice`, which would make another of the driver's results, with all of its properties.
  const taken = [...rows]
  rows.length = 0
  return taken
}

/**
 * Reads why Postgres closes the connection. If it says so during a statement, the driver waits for ReadyForQuery, which does not come, and
 * then only tells that the connection was closed.
 * @param chunk the last one; it ends with that ErrorResponse (PostgreSQL manual, 54.7)
 * @returns null if Postgres has not said why, or the message has begun in an earlier chunk: then the cause is not known
 */
export function findFatalError(chunk: Buffer): { code: string; message: string } | null {
  let start = chunk.length
  while (start > 0) {
    start = chunk.lastIndexOf('E', start - 1)
    if (start < 0) break
    const isWhole = start + 5 <= chunk.length && start + 1 + chunk.readInt32BE(start + 1) === chunk.length
    if (!isWhole) continue
    const fields = chunk.toString('utf8', start + 5).split('\0')
    const [severity, code, message = ''] = ['V', 'C', 'M'].map((type) =>
      fields.find((field) => field.startsWith(type))?.slice(1),
    )
    // What a pooler says itself has no V; Postgres has it since version 9.6.
    const isFatal = severity === undefined || severity === 'FATAL' || severity === 'PANIC'
    if (isFatal && code?.length === 5) return { code, message }
  }
  return null
}

/**
 * Requests that the statement in flight be cancelled; its error shows whether that happened. Unencrypted, as libpq's PQcancel. A request
 * that cannot be sent is forgotten.
 * @param address of the other side of the connection
 * @param key what Postgres, or a pooler in its place, gave the connection for this
 */
export function requestCancel(
  { host, port }: { host: string; port: number },
  key: { pid: number; secret: number },
): void {
  const message = Buffer.alloc(16)
  ;[message.length, CANCEL_REQUEST, key.pid, key.secret].forEach((value, index) =>
    message.writeInt32BE(value | 0, index * 4),
  )
  const socket = connect(port, host, () => socket.write(message))
  socket.on('error', () => socket.destroy())
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy())
  // The other side answers by closing the connection. PgBouncer drops the request if we close it first.
  socket.resume()
}
