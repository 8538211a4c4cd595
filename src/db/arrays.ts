/** Arrays in Postgres's own notation (PostgreSQL, 8.15): of one dimension. */

export function toArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"${value.replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`
}

/** @param array null stands for an empty one, which is what array_agg makes of no rows */
export function readArray(array: string | null | undefined): (string | null)[] {
  if (array == null || array === '{}') return []
  // Most are numbers and plain words; and Postgres quotes every text that is not what it looks like.
  if (!array.includes('"')) {
    const items: (string | null)[] = array.slice(1, -1).split(',')
    return array.includes('NULL') ? items.map((item) => (item === 'NULL' ? null : item)) : items
  }

  const items: (string | null)[] = []
  const isEscaped = array.includes('\\')
  for (let start = 1; start < array.length;) {
    const isQuoted = array.startsWith('"', start)
    if (isQuoted) start += 1
    let end = array.indexOf(isQuoted ? '"' : ',', start)
    if (isQuoted && isEscaped) while (isBehindEscape(array, end)) end = array.indexOf('"', end + 1)
    if (end < 0) end = array.length - 1
    const text = array.slice(start, end)
    if (!isQuoted && text === 'NULL') items.push(null)
    else items.push(isQuoted && isEscaped ? text.replaceAll(/\\(.)/gs, '$1') : text)
    start = end + (isQuoted ? 2 : 1)
  }
  return items
}

/** Whether an odd number of backslashes stands before a place, so that it is part of a text. */
function isBehindEscape(array: string, place: number): boolean {
  let start = place
  while (array[start - 1] === '\\') start -= 1
  return (place - start) % 2 === 1
}
