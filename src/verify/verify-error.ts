import { OperatorError } from '../base/errors.ts'

/** A request got no answer; another one may. */
export class NoAnswerError extends OperatorError {}
