/**
 * Finds an order of the operations on one pet in which every answer is true (Wing and Gong, "Testing and verifying concurrent objects",
 * with the memory of Lowe, "Testing for linearizability"). Each operation takes effect at one moment between its start and its end.
 */
import { type State, type Step, take } from './register.ts'

export interface Timed {
  client: number
  start: number
  /** Infinity: no answer came, so it need not take effect at all. */
  end: number
  step: Step
}

/** @returns whether there is such an order */
export function isLinearizable(operations: readonly Timed[]): boolean {
  const steps = operations.toSorted((one, other) => one.start - other.start)
  const done = steps.map(() => false)
  /** What has been tried without success: the operations that have taken effect, and the state that they lead to. */
  const failed = new Set<string>()

  /** Whether everything else can take effect, too. Those that are ready have nothing left that must take effect before them. */
  function search(state: State): boolean {
    const undo: number[] = []
    let next = findReady(steps, done, state)
    // What changes nothing and is true now may as well happen now.
    while (next.harmless !== undefined) {
      done[next.harmless] = true
      undo.push(next.harmless)
      next = findReady(steps, done, state)
    }
    const isFound = steps.every(({ end }, index) => done[index] || end === Infinity) || tryEach(next, state)
    for (const index of undo) done[index] = false
    return isFound
  }

  function tryEach({ writes }: Ready, state: State): boolean {
    if (writes.length === 0) return false
    const tried = `${done.map(Number).join('')} ${JSON.stringify(state)}`
    if (failed.has(tried)) return false
    const isFound = writes.some(({ index, state }) => {
      done[index] = true
      const isFound = search(state)
      done[index] = false
      return isFound
    })
    if (!isFound) failed.add(tried)
    return isFound
  }
  return search('unborn')
}

interface Ready {
  /** One that leaves the state as it is. */
  harmless?: number
  /** Those that change it, and the state after each. */
  writes: { index: number; state: State }[]
}

function findReady(steps: readonly Timed[], done: readonly boolean[], state: State): Ready {
  let firstEnd = Infinity
  for (const [index, { end }] of steps.entries()) if (!done[index] && end < firstEnd) firstEnd = end
  const writes: Ready['writes'] = []
  for (const [index, one] of steps.entries()) {
    if (done[index]) continue
    if (one.start > firstEnd) continue
    const next = take(state, one.step)
    if (next === null) continue
    if (next !== state) writes.push({ index, state: next })
    // Without an answer it may have an effect later.
    else if (one.end < Infinity) return { harmless: index, writes }
  }
  return { writes }
}
