/** The SQL of a resource, as files in ./sql. `npx vitest run --project unit --update` rewrites them. */
import { join } from 'node:path'
import type { Dialect } from '../../../src/db/database.ts'
import { fetchSortKey } from '../../../src/resource/lists/fetch-sort-key.ts'
import { reverse } from '../../../src/resource/lists/orders.ts'
import { createStore } from '../../../src/resource/store.ts'
import {
  crate,
  crateConditions,
  type CrateFilter,
  crateList,
  crates,
  type CratePage,
  crateResource,
  firstPage,
  loadCrates,
} from '../../support/crates.ts'
import { CITUS_DIALECT } from '../support/database.ts'
import { type Call, record, testSnapshots } from '../support/sql-snapshot.ts'

const item = { ...crate, note: 'fragile' }
// Of its own, so that it is time to delete expired keys.
const store = createStore(crateResource)
const createTwo: Call = (requestData) =>
  Promise.all([store.create(requestData, item), store.create(requestData, { ...item, size: null })])
const createOnce: Call = (requestData) =>
  store.createOnce(requestData, item, { owner: 'client', idempotencyKey: 'key' })
const updateTwo: Call = (requestData) =>
  Promise.all([store.update(requestData, '42', { size: null }), store.update(requestData, '43', item)])

/** Of a crate that is not among those which are updated together, and of one that has to be as expected. */
const recordUpdates = async () => [
  ...(
    await record((requestData) => store.update(requestData, '42', { size: null }), { title: 'alone' })
  ).slice(1, 2),
  ...(
    await record((requestData) => store.update(requestData, '42', item, { size: null }), {
      title: 'compared',
    })
  ).slice(0, 1),
]

const all: CrateFilter = {
  size: ['small', 'large'],
  ownerId: ['7', '8'],
  labelPrefix: '50%',
  note: 'fragile',
}
const recordCounts = async () => [
  ...(await record((requestData) => crateList.count(requestData, crateConditions(all)))),
  ...(await record((requestData) =>
    crateList.countBy(requestData, crates.size, crateConditions({ ownerId: ['7'] })),
  )),
]

const byLabel = { field: 'LABEL', direction: 'ASC' } as const
const [eleventh, last] = ['11', '99'].map((id) => ({ id, sortKey: null }))
const afterLabel = { id: '11', sortKey: 'boa' }
type Pages = Record<string, Partial<CratePage>>
const joined: Pages = {
  'by id': {},
  'a size, after': { filter: { size: ['small'] }, after: eleventh },
  'an owner, last': { filter: { ownerId: ['7'] }, order: reverse(firstPage.order) },
  'by label, after': { order: byLabel, after: afterLabel },
  'by label, last, before': { order: reverse(byLabel), after: afterLabel },
  'two sizes, after': { filter: { size: ['small', 'large'] }, after: eleventh },
}
const other: Pages = {
  'by id, between two': { filter: all, after: eleventh, before: last },
  'by label, last, before': { filter: all, order: reverse(byLabel), after: afterLabel },
  'a prefix, by label': { filter: { labelPrefix: '50%' }, order: byLabel },
  'a size, before': { filter: { size: ['small'] }, before: last },
}
const onCitus: Pages = {
  'a size, by label': { filter: { size: ['small'] }, order: byLabel, after: afterLabel },
  'an owner, by id': { filter: { ownerId: ['7'] } },
}
async function recordPages(pages: Pages, options: { dialect?: Dialect } = {}) {
  const recorded = Object.entries(pages).map(([title, page]) =>
    record((requestData) => loadCrates(requestData, { ...firstPage, ...page }), { title, ...options }),
  )
  return (await Promise.all(recorded)).flat()
}
const citus = { dialect: CITUS_DIALECT }

const recordCreationsOnCitus = async () => [
  ...(await record(createTwo, citus)),
  ...(await record((requestData) => store.create(requestData, item), { title: 'alone', ...citus })).slice(1),
]

testSnapshots(join(import.meta.dirname, 'sql'), [
  [
    'find.sql',
    () => record((requestData) => Promise.all(['1', '2'].map((id) => store.find(requestData, id)))),
  ],
  ['create.sql', () => record(createTwo)],
  ['create-once.sql', () => record(createOnce)],
  ['update-several.sql', async () => (await record(updateTwo)).slice(0, 1)],
  ['update.sql', recordUpdates],
  ['delete.sql', () => record((requestData) => store.delete(requestData, '42'))],
  ['list-joined.sql', () => recordPages(joined)],
  ['list.sql', () => recordPages(other)],
  ['count.sql', recordCounts],
  ['sort-keys.sql', () => record((requestData) => fetchSortKey(requestData, 'Books'))],
  ['citus-create.sql', recordCreationsOnCitus],
  ['citus-create-once.sql', async () => (await record(createOnce, citus)).slice(0, 1)],
  ['citus-update.sql', () => record((requestData) => store.update(requestData, '42', item), citus)],
  ['citus-delete.sql', () => record((requestData) => store.delete(requestData, '42'), citus)],
  ['citus-list.sql', () => recordPages(onCitus, citus)],
])
