import { OperatorError } from '../base/errors.ts'

/** An import or an export failed; the message says why. */
export class TransferError extends OperatorError {}
