/** Reads the records of a CSV file (RFC 4180), whose quoted fields may contain line breaks. */

/**
 * No library is used: of those that we tried, none has the right line numbers after a CR LF inside quotes, and finds the next line
 * after a quote in a wrong place.
 */
export class CsvRecord {
  /** null: nothing, not even quotes. */
  readonly fields: (string | null)[] = []
  /** The text so far of a field whose quotes are still open. */
  #quoted: string | null = null

  get isOpen(): boolean {
    return this.#quoted !== null
  }

  /** @param line without its line feed. @returns what is wrong with it, or null */
  add(line: string): string | null {
    const end = line.endsWith('\r') ? line.length - 1 : line.length
    for (let at = 0; ; at += 1) {
      at = this.isOpen || line[at] === '"' ? this.#addQuoted(line, at) : this.#addPlain(line, at, end)
      if (at < 0) return 'A field that contains a quote must be in quotes, and each quote in it doubled.'
      if (this.isOpen || at >= end) return null
      if (line[at] !== ',') return 'After a closing quote, there must be a comma or the end of the line.'
    }
  }

  /** @returns the position after the field, or -1 */
  #addPlain(line: string, start: number, end: number): number {
    const comma = line.indexOf(',', start)
    const next = comma < 0 ? end : comma
    const text = line.slice(start, next)
    this.fields.push(text === '' ? null : text)
    return text.includes('"') ? -1 : next
  }

  /** @returns the position after the field, or after the line if the quotes are still open */
  #addQuoted(line: string, start: number): number {
    let text = this.#quoted ?? ''
    let at = this.isOpen ? start : start + 1
    for (;;) {
      const quote = line.indexOf('"', at)
      if (quote < 0) {
        this.#quoted = `${text}${line.slice(at)}\n`
        return line.length
      }
      text += line.slice(at, quote)
      if (line[quote + 1] !== '"') {
        this.fields.push(text)
        this.#quoted = null
        return quote + 1
      }
      text += '"'
      at = quote + 2
    }
  }
}
