import { sql } from 'drizzle-orm'
import { isJsonObject } from '../../base/json.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { PetEvent, PetState } from '../../pets/pet-event.ts'
import { buildStatement } from '../postgres/statement.ts'

/** The channel that the trigger notify_pet_change sends to; a migration creates it. */
export const CHANNEL = 'pet_changes'

/** Sent instead of the events of a change to many pets. */
const RESET = 'reset'

/** Ends all subscriptions of all servers, so that clients refetch what they show. */
export const resetSubscriptions = buildStatement(
  'resetSubscriptions',
  sql.raw(`select pg_notify('${CHANNEL}', '${RESET}')`),
  { prepare: false, writes: true },
).with({})

/** The maximum number of parts of one event. The longest name that the APIs accept takes about 200. */
const MAX_PARTS = 1_000

/** An event as the trigger writes it. */
interface WrittenEvent {
  kind: PetEvent['kind']
  id: string
  name: string
  states: [PetState, ...PetState[]]
}

/**
 * Reads events from the notifications of one connection. A notification holds at most 8,000 bytes, so a pet with a long name takes
 * several. The parts of an event arrive in sequence, because one transaction sends them.
 * @param feed receives each event; an unreadable one, such as another version's, ends all its subscriptions
 */
export function createEventReader(
  feed: Pick<ChangeFeed, 'publish' | 'endAll'>,
): (notification: string) => void {
  let unfinished = ''
  let texts: string[] = []
  return (notification) => {
    if (notification === RESET) {
      feed.endAll()
      return
    }
    const [, event = '', part, total, text = ''] = /^(\S+) (\d+) (\d+) (.*)$/s.exec(notification) ?? []
    if (event !== unfinished) texts = []
    unfinished = event
    texts.push(text)
    const isNext = part === String(texts.length) && texts.length <= MAX_PARTS
    if (isNext && part !== total) return
    const read = isNext ? readEvent(texts.join('')) : null
    unfinished = ''
    if (read) feed.publish(read)
    else feed.endAll()
  }
}

/** Validates everything, since any role that can connect to the database can send notifications. */
function readEvent(json: string): PetEvent | null {
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
