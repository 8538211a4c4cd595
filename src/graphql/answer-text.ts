/** The text of the GraphQL API's answers. */
import { GraphQLError } from 'graphql'
import { ServiceError } from '../base/errors.ts'
import { type AnswerMemory, MAX_ANSWER } from '../base/memory-budget.ts'
import { turns } from '../base/turns.ts'
import { toErrorAnswer } from './errors.ts'
import type { Context } from './schema/context.ts'

/** The bytes of one piece of a large text; its last part may exceed them. */
const PIECE_BYTES = 64 * 2 ** 10
/** The maximum number of large answers that wait for their text: their data is in memory. */
const MAX_WAITING = 250

/** A response whose text is not made yet. */
export interface Answer {
  status: number
  headers: Record<string, string>
  /** In the form that clients receive. */
  result: Result
}

export interface WrittenAnswer extends Omit<Answer, 'result'> {
  body: string | Buffer
}

export interface Result {
  errors?: readonly object[] | undefined
  data?: unknown
  extensions?: object | undefined
}

/**
 * Makes the text of an answer, and counts it. A large one is made in pieces, with turns of the event loop between. If it is too much,
 * the answer is an error instead, as if the first field had failed and were non-null.
 */
export async function writeAnswer(
  { status, headers, result }: Answer,
  context: Context,
): Promise<WrittenAnswer> {
  const { memory } = context.session
  try {
    const body = memory.isLarge ? await writeLarge(result, memory) : writeSmall(result, memory)
    return { status, headers, body }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const path = Object.keys(result.data ?? {}).slice(0, 1)
    const failed = toErrorAnswer([new GraphQLError(error.message, { path, originalError: error })], context)
    context.outcome.errorCodes = failed.codes
    const body = JSON.stringify({ errors: failed.errors, data: null })
    return { status: failed.status, headers: { ...headers, ...failed.headers }, body }
  }
}

function writeSmall(result: Result, memory: AnswerMemory): string {
  const text = JSON.stringify(result)
  memory.complete(Buffer.byteLength(text))
  return text
}

/** The end of the large text that is being made, and of those that wait. */
let lastLarge: Promise<unknown> = Promise.resolve()
let waiting = 0
/** Where it is made; the first large text makes this. */
let workspace = Buffer.alloc(0)

/** One at a time: if memory runs out, the first are complete, instead of many half made. */
async function writeLarge(result: Result, memory: AnswerMemory): Promise<Buffer> {
  if (waiting >= MAX_WAITING) throw new ServiceError('OVERLOADED')
  waiting += 1
  const written = lastLarge.then(() => writePieces(result, memory)).finally(() => (waiting -= 1))
  lastLarge = written.catch(() => undefined)
  return written
}

/** As bytes: to send a string, Node would reserve three times its memory. */
async function writePieces(result: Result, memory: AnswerMemory): Promise<Buffer> {
  if (workspace.length === 0) workspace = Buffer.allocUnsafeSlow(MAX_ANSWER)
  const parts = writeParts(result)
  let length = 0
  for (let isDone = false; !isDone;) {
    const piece = await turns.run(() => {
      const piece = nextPiece(parts)
      // Throws before the workspace is full.
      memory.holdText(piece.length)
      for (const text of piece.texts) length += workspace.write(text, length)
      return piece
    })
    isDone = piece.length < PIECE_BYTES
  }
  memory.complete(length)
  return Buffer.from(workspace.subarray(0, length))
}

/** The next texts, and their length in bytes. They are not joined, since that would make as much garbage again. */
function nextPiece(parts: Iterator<string, undefined>): { texts: string[]; length: number } {
  const texts: string[] = []
  let length = 0
  while (length < PIECE_BYTES) {
    const part = parts.next()
    if (part.done) break
    texts.push(part.value)
    length += Buffer.byteLength(part.value)
  }
  return { texts, length }
}

/** JSON.stringify in parts: each item of a list is one. */
function* writeParts(value: unknown): Generator<string, undefined> {
  if (typeof value !== 'object' || value === null) {
    yield JSON.stringify(value)
  } else if (Array.isArray(value)) {
    yield '['
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ','
      yield JSON.stringify(item)
    }
    yield ']'
  } else {
    let before = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* writeParts(member)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  }
}
