/** JSON in files, whose numbers pass through programs that round. */
import { parseJsonInt64 } from '../base/int64.ts'
import { isJsonObject, parseExactJsonText } from '../base/json.ts'

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

/** A value of parseFileJson. An OtherNumber is an object only in JavaScript: see isFileObject. */
export type FileJson = string | bigint | boolean | null | OtherNumber | FileJson[] | FileObject

interface FileObject {
  readonly [name: string]: FileJson
}

export function isFileObject(value: FileJson | undefined): value is FileObject {
  return isJsonObject(value) && !(value instanceof OtherNumber)
}

/**
 * Parses JSON as parseExactJsonText does, but stricter: an integer becomes a bigint only if it is written without an exponent and, beyond
 * 2^53, without a decimal point; any other number becomes an OtherNumber. @throws as parseExactJsonText
 */
export function parseFileJson(json: string): FileJson {
  const value = parseExactJsonText(json, (source, value) => {
    const isExact = /^-?\d+$/.test(source) || (Number.isSafeInteger(value) && !/e/i.test(source))
    return (isExact ? parseJsonInt64(source) : null) ?? new OtherNumber(source)
  })
  // JSON has no other values than these.
  return value as FileJson
}
