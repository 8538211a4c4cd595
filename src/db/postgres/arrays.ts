/**
 * Reads a one-dimensional array in Postgres's notation (PostgreSQL manual, 8.15). Drizzle's parsePgArray misreads a trailing
 * backslash and NULL (drizzle-orm#6181).
 * @param array null means an empty array: array_agg of no rows is NULL
 */
export function readArray(array: string | null | undefined): (string | null)[] {
  if (array == null || array === '{}') return []
  // The common case: numbers and plain words. Postgres quotes everything else.
  if (!array.includes('"')) {
    const items: (string | null)[] = array.slice(1, -1).split(',')
    return array.includes('NULL') ? items.map((item) => (item === 'NULL' ? null : item)) : items
  }

  const items: (string | null)[] = []
  const hasEscapes = array.includes('\\')
  for (let start = 1; start < array.length;) {
    const isQuoted = array.startsWith('"', start)
    if (isQuoted) start += 1
    let end = array.indexOf(isQuoted ? '"' : ',', start)
    if (isQuoted && hasEscapes) while (isEscaped(array, end)) end = array.indexOf('"', end + 1)
    if (end < 0) end = array.length - 1
    const text = array.slice(start, end)
    if (!isQuoted && text === 'NULL') items.push(null)
    else items.push(isQuoted && hasEscapes ? text.replaceAll(/\\(.)/gs, '$1') : text)
    start = end + (isQuoted ? 2 : 1)
  }
  return items
}

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(array: string, position: number): boolean {
  let start = position
  while (array[start - 1] === '\\') start -= 1
  return (position - start) % 2 === 1
}
