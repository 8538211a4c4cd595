import { OperatorError } from '../base/errors.ts'

/** The server cannot be checked; the message says why and what to do. */
export class VerifyError extends OperatorError {}

/** A request got no answer; another one may. */
export class NoAnswerError extends VerifyError {}
