/*
 * How long a statement of a request may take, in milliseconds, from the connection to the answer. Polls and requests to cancel have
 * shorter limits of their own.
 */

/** To open a connection, with TLS, login and settings. */
export const OPEN_LIMIT_MS = 5_000

/** The same, for each of several hosts: those that are silent must not use up the time of a request. */
export const OPEN_LIMIT_OF_HOST_MS = 2_000

/** Postgres cancels a statement after this. Behind a pooler, which does not pass the limit on, this server asks for that. */
export const STATEMENT_LIMIT_MS = 5_000

/** Behind a pooler, the request to cancel is repeated: a statement that still waits in the pooler is not cancelled. */
export const CANCEL_INTERVAL_MS = 400

/** A connection that is silent for this long during a statement is dead: a live Postgres would have cancelled the statement. */
export const SILENCE_LIMIT_MS = STATEMENT_LIMIT_MS + 2_000

/** A statement that was begun less than this before is not the cause of a silence: to send it would have ended that. Half of its limit, as a margin. */
export const MIN_SILENCE_OF_STATEMENT_MS = STATEMENT_LIMIT_MS / 2

/** A caller gets TIMEOUT after this, including the wait for a connection; what fails on a standby has as long on the primary. */
export const DEADLINE_MS = 8_000
