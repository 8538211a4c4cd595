/** How soon running servers know what has changed among the keys in the database. It imports nothing: help texts need it. */

/** Milliseconds between two reads of the keys: the time that a revoked key may stay valid, or a new one unknown. */
export const POLL_INTERVAL_MS = 1_000

/** As messages say it, with a second for the read itself. */
export const KNOWN_WITHIN = `${POLL_INTERVAL_MS / 1_000 + 1} seconds`
