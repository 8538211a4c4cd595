/**
 * A server of version 1.0, or of what followed it until events contained rows, as others see it through the database: its statements,
 * its fingerprints and its reading of events. All of it is copied, and stays as it was until such servers need no longer run beside
 * new ones.
 */
import { createHash } from 'node:crypto'
import type { Sql } from 'postgres'

export interface EarlierPet {
  name: string
  categoryId: string
  status: string | null
}

export type StoredPet = EarlierPet & { id: string }

/** An event as it read it: the states are what its filters compared. */
export interface EarlierEvent {
  kind: string
  pet: StoredPet
  states: { categoryId: string; status: string | null; nameKey: string }[]
}

/** What happened to a pet. */
export interface EarlierChange {
  kind: 'created' | 'updated' | 'deleted'
  pet: StoredPet
  before: EarlierPet | null
}

const CREATE = `
  with numbered as materialized (
    select number, nextval('pets_id_seq') as "id", "name", "category_id", "status"
    from unnest($1::text[], $2::bigint[], $3::pet_status[]) with ordinality as request ("name", "category_id", "status", number)
  ), created as (
    insert into "pets" ("id", "name", "category_id", "status") overriding system value
    select "id", "name", "category_id", "status" from numbered
  )
  select "id" from numbered order by number`

const CREATE_ONCE = `
  with used as (
    insert into "idempotency_keys" ("owner", "key", "fingerprint", "pet_id", "created_at")
    select $1::text, $2::text, $3::text, nextval('pets_id_seq'), now()
    where pg_try_advisory_xact_lock(hashtextextended($4::text || ' ' || $5::text, 0))
    on conflict ("owner", "key") do update set
      "fingerprint" = excluded."fingerprint", "pet_id" = excluded."pet_id", "created_at" = excluded."created_at"
      where "idempotency_keys"."created_at" <= now() - interval '24 hours'
    returning "idempotency_keys"."pet_id"
  ), deleted as (
    delete from "idempotency_keys" where ("owner", "key") in (
      select "owner", "key" from "idempotency_keys"
      where "idempotency_keys"."created_at" < now() - interval '24 hours' and ("owner", "key") <> ($6::text, $7::text)
      order by "idempotency_keys"."created_at" limit 20 for update skip locked
    )
  )
  insert into "pets" ("id", "name", "category_id", "status") overriding system value
  select "pet_id", $8::text, $9::bigint, $10::pet_status from used returning "pets"."id"`

const FIND_KEY = `
  select "idempotency_keys"."fingerprint", "idempotency_keys"."pet_id" from "idempotency_keys"
  where "idempotency_keys"."owner" = $1::text and "idempotency_keys"."key" = $2::text
    and "idempotency_keys"."created_at" > now() - interval '24 hours'`

const UPDATE = `
  update "pets" set "name" = $1::text, "category_id" = $2::bigint, "status" = $3::pet_status
  where "pets"."id" = $4::bigint returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"`

const DELETE = `
  delete from "pets" where "pets"."id" = $1::bigint
  returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"`

const FIND = `
  select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status" from "pets" where "pets"."id" = any($1::bigint[])`

/** On Citus, where no trigger does it. */
const ANNOUNCE = `
  select count(pg_notify('pet_changes', notification)) from (
    select concat_ws(' ', extract(epoch from now()) || '-' || number, part, parts,
      substr(event, (part - 1) * 1900 + 1, 1900)) as notification
    from (
      select number, event, ceil(length(event) / 1900.0)::int as parts from (
        select number, json_build_object('kind', kind, 'id', id, 'name', name, 'states',
          case when old_name is null then json_build_array(json_build_object(
            'categoryId', "category", 'status', "status",
            'nameKey', (lower(left("name", 500) collate "pet_names") collate "C")
          )) else json_build_array(json_build_object(
            'categoryId', "category", 'status', "status",
            'nameKey', (lower(left("name", 500) collate "pet_names") collate "C")
          ), json_build_object(
            'categoryId', "old_category", 'status', "old_status",
            'nameKey', (lower(left("old_name", 500) collate "pet_names") collate "C")
          )) end)::text as event
        from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
          with ordinality as change ("kind", "id", "name", "category", "status", "old_name", "old_category", "old_status", number)
      ) as written
    ) as measured cross join generate_series(1, parts) as part
    order by number, part
  ) as ordered`

export interface EarlierServer {
  create: (pet: EarlierPet) => Promise<StoredPet>
  /** @param owner the name of the API key @returns the code of the error, if there is one */
  createOnce: (pet: EarlierPet, owner: string, key: string) => Promise<StoredPet | string>
  update: (id: string, pet: EarlierPet) => Promise<StoredPet>
  delete: (id: string) => Promise<void>
  /** The pets with these ids, in any order. */
  find: (ids: string[]) => Promise<StoredPet[]>
  /** Sends the event of a change, as on Citus. */
  announce: (change: EarlierChange) => Promise<void>
}

/** @param sql its connections */
export function createEarlierServer(sql: Sql): EarlierServer {
  const run = async (statement: string, parameters: (string | null | (string | null)[])[]) => {
    const rows = await sql.unsafe(statement, parameters).values()
    return rows as (string | null)[][]
  }
  const idOf = ([row]: Awaited<ReturnType<typeof run>>) => String(row?.[0])
  return {
    create: async (pet) => ({
      id: idOf(await run(CREATE, [[pet.name], [pet.categoryId], [pet.status]])),
      ...pet,
    }),
    async createOnce(pet, owner, key) {
      const fingerprint = fingerprintOf(pet)
      const used = [owner, key, fingerprint, owner, key, owner, key]
      const created = await run(CREATE_ONCE, [...used, pet.name, pet.categoryId, pet.status])
      if (created.length > 0) return { id: idOf(created), ...pet }
      const [[first, id] = []] = await run(FIND_KEY, [owner, key])
      if (first == null) return 'IDEMPOTENCY_KEY_IN_USE'
      return first === fingerprint ? { id: String(id), ...pet } : 'IDEMPOTENCY_KEY_REUSED'
    },
    async update(id, pet) {
      await run(UPDATE, [pet.name, pet.categoryId, pet.status, id])
      return { id, ...pet }
    },
    async delete(id) {
      await run(DELETE, [id])
    },
    async find(ids) {
      const rows = await run(FIND, [ids])
      return rows.map(([id, name, categoryId, status]) => ({
        ...{ id: String(id), name: String(name), categoryId: String(categoryId) },
        status: status === null ? null : String(status),
      }))
    },
    async announce({ kind, pet, before }) {
      const now = [kind, pet.id, pet.name, pet.categoryId, pet.status]
      const old = [before?.name, before?.categoryId, before?.status]
      await run(
        ANNOUNCE,
        [...now, ...old].map((value) => [value ?? null]),
      )
    },
  }
}

function fingerprintOf({ name, categoryId, status }: EarlierPet): string {
  return createHash('sha256')
    .update(JSON.stringify([name, categoryId, status]))
    .digest('base64url')
}

/** @param publish receives each event @param endAll is called when all subscriptions have to end */
export function createEarlierReader(
  publish: (event: EarlierEvent) => void,
  endAll: () => void,
): (notification: string) => void {
  let unfinished = ''
  let texts: string[] = []
  return (notification) => {
    if (notification === 'reset') {
      endAll()
      return
    }
    const [, event = '', part, total, text = ''] = /^(\S+) (\d+) (\d+) (.*)$/s.exec(notification) ?? []
    if (event !== unfinished) texts = []
    unfinished = event
    texts.push(text)
    const isNext = part === String(texts.length) && texts.length <= 1_000
    if (isNext && part !== total) return
    const read = isNext ? readEvent(texts.join('')) : null
    unfinished = ''
    if (read) publish(read)
    else endAll()
  }
}

interface WrittenEvent {
  kind: string
  id: string
  name: string
  states: [EarlierEvent['states'][number], ...EarlierEvent['states']]
}

function readEvent(json: string): EarlierEvent | null {
  let written: unknown
  try {
    written = JSON.parse(json)
  } catch {
    return null
  }
  if (!isWrittenEvent(written)) return null
  const { kind, id, name, states } = written
  const { categoryId, status } = states[0]
  return { kind, pet: { id, name, categoryId, status }, states }
}

function isWrittenEvent(value: unknown): value is WrittenEvent {
  if (!isJsonObject(value) || !['created', 'updated', 'deleted'].includes(String(value.kind))) return false
  const { id, name, states } = value
  return (
    Array.isArray(states) &&
    states.length > 0 &&
    [
      id,
      name,
      ...states.flatMap((state) => (isJsonObject(state) ? [state.categoryId, state.nameKey] : [null])),
    ].every((text) => typeof text === 'string')
  )
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
