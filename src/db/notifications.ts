import { isJsonObject } from '../json-object.ts'
import type { ChangeFeed, PetChange, PetState } from './changes.ts'

/** The channel of the trigger notify_pet_change, which a migration makes. */
export const CHANNEL = 'pet_changes'

/** Parts of one change: the names of both doors come to some 200 at most. */
const MAX_PARTS = 1_000

/** A change as the trigger writes it. */
interface Written {
  kind: PetChange['kind']
  id: string
  name: string
  states: [PetState, ...PetState[]]
}

/**
 * Puts changes together from the notifications of one connection: a notification may have 8,000 bytes, so that an animal with a
 * long name takes several. Those of one change come one after the other, since they come from one transaction.
 * @param feed is given what can be read, and loses what cannot: a change of another version, or none of the trigger
 */
export function createChangeReader(
  feed: Pick<ChangeFeed, 'publish' | 'lose'>,
): (notification: string) => void {
  let unfinished = ''
  let texts: string[] = []
  return (notification) => {
    const [, change = '', part, total, text = ''] = /^(\S+) (\d+) (\d+) (.*)$/s.exec(notification) ?? []
    if (change !== unfinished) texts = []
    unfinished = change
    texts.push(text)
    const isNext = part === String(texts.length) && texts.length <= MAX_PARTS
    if (isNext && part !== total) return
    const read = isNext ? readChange(texts.join('')) : null
    unfinished = ''
    if (read) feed.publish(read)
    else feed.lose()
  }
}

/** Anybody who may connect to the database may notify, so that what is read is looked at. */
function readChange(json: string): PetChange | null {
  let written: unknown
  try {
    written = JSON.parse(json)
  } catch {
    return null
  }
  if (!isWritten(written)) return null
  const { kind, id, name, states } = written
  const { categoryId, status } = states[0]
  return { kind, pet: { id, name, categoryId, status }, states }
}

function isWritten(value: unknown): value is Written {
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
