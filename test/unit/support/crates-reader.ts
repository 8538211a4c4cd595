/** As `npm run codegen` prints it; test/project/generated-files.test.ts compares. */
import { requireValue } from '../../../src/db/postgres/statement.ts'
import {
  type ItemOf,
  type RowReader,
  readBoolean,
  readChoice,
  readNumber,
} from '../../../src/resource/resource.ts'
import { crates } from './crates.ts'

export const cratesReader: RowReader<ItemOf<typeof crates>> = {
  readRow: (row, at = 0) => ({
    id: requireValue(row[at]),
    ownerId: requireValue(row[at + 1]),
    count: requireValue(readNumber(row[at + 2])),
    isOpen: requireValue(readBoolean(row[at + 3])),
    size: readChoice(crates.size.enumValues, row[at + 4]),
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
      size: readChoice(crates.size.enumValues, size[index]),
      note: note[index] ?? null,
      weight: requireValue(readNumber(weight[index])),
      sortKey: sortKey[index] ?? null,
    })),
}
