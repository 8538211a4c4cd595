/** The notifications of events, as the trigger notify_pet_change sends them (drizzle/0002_graph.sql). */
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { CHANNEL } from '../events/change-notifications.ts'
import type { PetChange } from '../dialect.ts'
import { nameKeyOf } from '../../pets/name-key.ts'
import { buildStatement, parameter, type Statement } from '../postgres/statement.ts'

/** Characters in a notification, which holds 8,000 bytes. */
const PART = sql.raw('1900')
const channel = sql.raw(`'${CHANNEL}'`)

/** What events contain of the states of a pet. */
const stateOf = (prefix: string) => {
  const column = (name: string) => sql.identifier(`${prefix}${name}`)
  return sql`json_build_object(
    'categoryId', ${column('category')}, 'status', ${column('status')}, 'nameKey', ${nameKeyOf(sql`${column('name')}`)}
  )`
}

const NAMES = ['kind', 'id', 'name', 'category', 'status', 'old_name', 'old_category', 'old_status'] as const
const arrays = sql.join(
  NAMES.map((name) => parameter(name, 'text[]')),
  sql`, `,
)
const columns = sql.join(
  NAMES.map((name) => sql.identifier(name)),
  sql`, `,
)

/** It uses no table, so it runs on the coordinator, which the servers listen to. The time makes each event unique. */
const notify = buildStatement<(typeof NAMES)[number]>(
  'announceChanges',
  sql`
    select count(pg_notify(${channel}, notification)) from (
      select concat_ws(' ', extract(epoch from now()) || '-' || number, part, parts,
        substr(event, (part - 1) * ${PART} + 1, ${PART})) as notification
      from (
        select number, event, ceil(length(event) / ${PART}.0)::int as parts from (
          select number, json_build_object('kind', kind, 'id', id, 'name', name, 'states',
            case when old_name is null then json_build_array(${stateOf('')})
            else json_build_array(${stateOf('')}, ${stateOf('old_')}) end)::text as event
          from unnest(${arrays}) with ordinality as change (${columns}, number)
        ) as written
      ) as measured cross join generate_series(1, parts) as part
      order by number, part
    ) as ordered`,
  { writes: true },
)

export function announcement(changes: readonly PetChange[]): Statement {
  const arrayOf = (valueOf: (change: PetChange) => string | null | undefined) =>
    makePgArray(changes.map((change) => valueOf(change) ?? null))
  return notify.with({
    kind: arrayOf(({ kind }) => kind),
    id: arrayOf(({ pet }) => pet.id),
    name: arrayOf(({ pet }) => pet.name),
    category: arrayOf(({ pet }) => pet.categoryId),
    status: arrayOf(({ pet }) => pet.status),
    old_name: arrayOf(({ before }) => before?.name),
    old_category: arrayOf(({ before }) => before?.categoryId),
    old_status: arrayOf(({ before }) => before?.status),
  })
}
