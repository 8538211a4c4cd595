import type { ChangeFeed } from './change-feed.ts'
import type { RowEvent } from './row-event.ts'
import type { Standbys } from '../standbys/standbys.ts'

/** The maximum number of events that wait for their position; beyond that, all subscriptions end. */
const MAX_WAITING = 10_000

type Feed = Pick<ChangeFeed, 'publish' | 'endAll' | 'size'>

/**
 * Adds to each event a position in the WAL after it, so that subscribers who refetch see it on a standby too. All events that
 * arrived meanwhile share one query to the primary.
 * @returns passes the events on to `feed`, in order
 */
export function addWalPositions(
  feed: Feed,
  standbys: Pick<Standbys, 'readPosition'>,
): Pick<ChangeFeed, 'publish' | 'endAll'> {
  let waiting: RowEvent[] = []
  let isReading = false

  async function release(): Promise<void> {
    isReading = true
    while (waiting.length > 0) {
      const events = waiting
      waiting = []
      try {
        const walPosition = await standbys.readPosition()
        for (const event of events) feed.publish({ ...event, walPosition })
      } catch {
        feed.endAll()
      }
    }
    isReading = false
  }

  return {
    publish(event) {
      if (feed.size === 0) return
      if (waiting.push(event) > MAX_WAITING) this.endAll()
      else if (!isReading) void release()
    },
    endAll() {
      waiting = []
      feed.endAll()
    },
  }
}
