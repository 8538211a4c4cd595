/** Reads the made-up resource of the unit tests. */
import { requireValue } from '../../../src/db/postgres/statement.ts'
import { type ItemOf, type RowReader, readBoolean, readNumber } from '../../../src/resource/resource.ts'
import type { crates } from './crates.ts'

export const cratesReader: RowReader<ItemOf<typeof crates>> = {
  readRow: (row, at = 0) => ({
    id: requireValue(row[at]),
    ownerId: requireValue(row[at + 1]),
    count: requireValue(readNumber(row[at + 2])),
    isOpen: requireValue(readBoolean(row[at + 3])),
    size: readSize(row[at + 4]),
    note: row[at + 5] ?? null,
    weight: requireValue(readNumber(row[at + 6])),
  }),
  readColumns: ([
    id = [],
    ownerId = [],
    count = [],
    isOpen = [],
    size = [],
    note = [],
    weight = [],
    sortKey = [],
  ]) =>
    id.map((_, index) => ({
      id: requireValue(id[index]),
      ownerId: requireValue(ownerId[index]),
      count: requireValue(readNumber(count[index])),
      isOpen: requireValue(readBoolean(isOpen[index])),
      size: readSize(size[index]),
      note: note[index] ?? null,
      weight: requireValue(readNumber(weight[index])),
      sortKey: sortKey[index] ?? null,
    })),
}

function readSize(text: string | null | undefined) {
  return (text ?? null) as ItemOf<typeof crates>['size']
}
