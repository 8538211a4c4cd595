import { oneAtATime } from '../../base/one-at-a-time.ts'
import type { Standbys } from '../standbys/standbys.ts'
import type { ChangeFeed, EventReceiver, RowEvent } from './change-feed.ts'

/** The maximum number of events that wait for their position; beyond that, all subscriptions end. */
const MAX_WAITING = 10_000

/**
 * Adds to each event a position in the WAL after it, so that subscribers who refetch see it on a standby too. All events that
 * arrived meanwhile share one query to the primary.
 * @returns passes the events on to `feed`, in order
 */
export function addWalPositions(
  feed: EventReceiver & Pick<ChangeFeed, 'size'>,
  standbys: Pick<Standbys, 'readPosition'>,
): EventReceiver {
  let waiting: RowEvent[] = []
  const release = oneAtATime(async () => {
    const events = waiting
    waiting = []
    if (events.length === 0) return
    try {
      const walPosition = await standbys.readPosition()
      for (const event of events) feed.publish({ ...event, walPosition })
    } catch {
      feed.endAll()
    }
  })

  return {
    publish(event) {
      if (feed.size === 0) return
      if (waiting.push(event) > MAX_WAITING) this.endAll()
      else void release()
    },
    endAll() {
      waiting = []
      feed.endAll()
    },
  }
}
