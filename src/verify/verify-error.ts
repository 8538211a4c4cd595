/** The server cannot be checked; the message says why and what to do. */
export class VerifyError extends Error {}

/** A request got no answer; another one may. */
export class NoAnswerError extends VerifyError {}
