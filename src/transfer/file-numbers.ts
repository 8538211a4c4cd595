/** Numbers in files, which pass through programs that round. */
import { parseJsonInt64 } from '../base/int64.ts'
import { parseExactJsonText } from '../base/json.ts'

/** A number that is not read as an integer, as it is written. */
export class OtherNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  /** Whether it is an integer in a notation that programs use only if they hold it as a floating-point number. */
  get mayBeRounded(): boolean {
    return /e|\.0+$/i.test(this.source)
  }
}

/**
 * Parses JSON as parseExactJsonText does, but stricter: an integer becomes a bigint only if it is written without an exponent and, beyond
 * 2^53, without a decimal point; any other number becomes an OtherNumber. @throws as parseExactJsonText
 */
export function parseFileJson(json: string): unknown {
  return parseExactJsonText(json, (source, value) => {
    const isExact = /^-?\d+$/.test(source) || (Number.isSafeInteger(value) && !/e/i.test(source))
    return (isExact ? parseJsonInt64(source) : null) ?? new OtherNumber(source)
  })
}
