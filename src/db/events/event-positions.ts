import { oneAtATime } from '../../base/one-at-a-time.ts'
import type { WalPosition } from '../standbys/wal-position.ts'
import { type ChangeFeed, MAX_BACKLOG, MAX_BACKLOG_CHARACTERS } from './change-feed.ts'
import { type EventReceiver, lengthOf, type RowEvent } from './row-event.ts'

/**
 * Adds to each event a position in the WAL after it, so that subscribers who refetch see it on a standby too. All events that
 * arrived meanwhile share one query to the primary.
 * @returns passes the events on to `feed`, in order
 */
export function addWalPositions(
  feed: Pick<ChangeFeed, 'publish' | 'endAll' | 'size'>,
  readPosition: () => Promise<WalPosition>,
): EventReceiver {
  let waiting: RowEvent[] = []
  /** The characters of those that wait. */
  let length = 0
  /** How often all subscriptions were ended: events from before that are no longer sent. */
  let ends = 0
  const endAll = () => {
    ends += 1
    waiting = []
    length = 0
    feed.endAll()
  }
  const release = oneAtATime(async () => {
    const events = waiting
    waiting = []
    length = 0
    if (events.length === 0) return
    const before = ends
    try {
      const walPosition = await readPosition()
      if (ends === before) for (const event of events) feed.publish({ ...event, walPosition })
    } catch {
      endAll()
    }
  })

  return {
    publish(event) {
      if (feed.size === 0) return
      length += lengthOf(event)
      if (waiting.push(event) > MAX_BACKLOG || length > MAX_BACKLOG_CHARACTERS) endAll()
      else void release()
    },
    endAll,
  }
}
