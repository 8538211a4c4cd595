import type { BadLine } from './item-line.ts'
import { formatCount } from './progress.ts'
import { OperatorError } from '../base/errors.ts'

/** The maximum number of lines that are named; the others are only counted. */
const MAX_NAMED = 100

/** The lines of an import that are not items, or whose id is taken. */
export class BadLines {
  count = 0
  readonly #skips: boolean
  readonly #named: BadLine[] = []

  /** @param skips whether the import continues without them */
  constructor(skips: boolean) {
    this.#skips = skips
  }

  /**
   * @param lines by number
   * @param count of the lines, of which only the first may be given
   * @throws OperatorError that names the first, unless they are skipped
   */
  add(lines: readonly BadLine[], count = lines.length): void {
    const [first] = lines
    if (first && !this.#skips) {
      throw new OperatorError(
        `${describeBadLine(first)}${describeMore(count - 1, ' so far')}\n` +
          'Nothing was imported. Correct the file, or skip such lines with --skip-bad.',
      )
    }
    this.count += count
    // Taken ids are found after all other bad lines.
    if (lines.length > 0) this.#named.push(...lines.slice(0, MAX_NAMED))
    this.#named.sort((one, other) => one.line - other.line).splice(MAX_NAMED)
  }

  /** The first of them with their reasons, and the number of the others. */
  describe(): string {
    const named = this.#named.map(describeBadLine).join('\n')
    return `${named}${describeMore(this.count - this.#named.length)}`
  }
}

function describeBadLine({ line, reason }: BadLine): string {
  return `line ${line}: ${reason}`
}

function describeMore(count: number, soFar = ''): string {
  return count > 0 ? `\n… and ${formatCount(count, 'more bad line')}${soFar}` : ''
}
