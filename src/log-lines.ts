/** Takes lines of text, one at a time. */
export interface LineWriter {
  write(lines: string): unknown
}

/**
 * Writes the lines of one turn of the event loop at once: to a file each write is a system call that everybody waits for. Nothing
 * is held back longer than that, and what is there when the process exits, however it does by itself, is written.
 */
export function joinLines(target: LineWriter): LineWriter {
  let lines = ''
  const flush = () => {
    const text = lines
    lines = ''
    if (text !== '') target.write(text)
  }
  process.on('exit', flush)
  return {
    write(line) {
      if (lines === '') setImmediate(flush)
      lines += line
    },
  }
}
