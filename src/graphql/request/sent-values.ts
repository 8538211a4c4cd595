/** The values in what a client sends, each with the path to it. */
import { MAX_VALUES } from '../../base/json.ts'
import { ServiceError } from '../../base/service-error.ts'

export interface SentValue {
  /** Its name in an object, or its index in a list. */
  key: string
  /** Undefined: it is absent. */
  value: unknown
  /** The object or list that it is in; null: it is a variable itself. */
  parent: SentValue | null
}

/** @param name of the parameter @throws ServiceError INVALID_REQUEST if there are too many values in it */
export function throwIfTooMany(name: string, parameter: Readonly<Record<string, unknown>> | undefined): void {
  listSentValues(name, parameter)
}

/**
 * All values in a parameter, even those that no document declares.
 * @param name of the parameter
 * @throws ServiceError INVALID_REQUEST if they are too many
 */
export function listSentValues(name: string, parameter: Readonly<Record<string, unknown>> = {}): SentValue[] {
  const values: SentValue[] = []
  const addAll = (container: object, parent: SentValue | null) => {
    for (const [key, value] of Object.entries(container)) values.push({ key, value, parent })
    if (values.length <= MAX_VALUES) return
    throw new ServiceError(
      'INVALID_REQUEST',
      `The ${name} must have at most ${MAX_VALUES} values, including those in lists and objects.`,
    )
  }
  addAll(parameter, null)
  // The list grows during the loop.
  for (const sent of values)
    if (typeof sent.value === 'object' && sent.value !== null) addAll(sent.value, sent)
  return values
}

/** The maximum number of characters of a path to which another key is added. */
const MAX_PATH = 200

/** The path to a value, from the variable that it is in: `input.tags[0].name`. One that is too long ends with an ellipsis. */
export function printPath(sent: SentValue): string {
  const keys: string[] = []
  for (let at: SentValue | null = sent; at; at = at.parent) keys.push(printKey(at))
  let path = ''
  for (const key of keys.toReversed()) {
    if (path.length >= MAX_PATH) return `${path}…`
    path += key
  }
  return path
}

/** The end of the path to a value: the last name in it, with the indexes after that. */
export function printName(sent: SentValue): string {
  if (sent.parent && Array.isArray(sent.parent.value)) return printName(sent.parent) + printKey(sent)
  return sent.key
}

function printKey({ key, parent }: SentValue): string {
  if (!parent) return key
  return Array.isArray(parent.value) ? `[${key}]` : `.${key}`
}
