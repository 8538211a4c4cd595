/** Whether a count lies between the pets that surely matched meanwhile and those that may have. */
import { type Filter, matches, type Operation } from './history.ts'
import type { Timed } from './linearize.ts'
import type { State } from './register.ts'

/** A write that has happened, or may have. */
interface Effect {
  start: number
  /** Infinity: it may not have happened yet. */
  end: number
  /** null: not known. */
  state: State | null
}

/** @param timelines the operations on each pet @returns a sentence for each contradiction */
export function findWrongCounts(
  history: readonly Operation[],
  timelines: ReadonlyMap<string, readonly Timed[]>,
): string[] {
  const effects = Array.from(timelines.values(), toEffects)
  return history.flatMap((operation) => {
    if (operation.kind !== 'count') return []
    const { filter, answer, start, end } = operation
    const found = effects.map((ofPet) =>
      ofPet.filter((effect) => isPossible(effect, ofPet, start, end)).map(({ state }) => fits(filter, state)),
    )
    const minimum = found.filter((each) => each.every((fits) => fits === true)).length
    const maximum = found.filter((each) => each.some((fits) => fits !== false)).length
    if (answer >= minimum && answer <= maximum) return []
    return [`${answer} pets match ${JSON.stringify(filter)}, but it must be ${minimum} to ${maximum}.`]
  })
}

function toEffects(timeline: readonly Timed[]): Effect[] {
  const creations = timeline.filter(({ step }) => step.kind === 'create')
  const unborn: Effect = { start: -Infinity, end: -Infinity, state: 'unborn' }
  const created = creations.slice(0, 1).flatMap(({ step }): Effect[] => {
    if (step.kind !== 'create') return []
    // A repetition has no effect of its own.
    const start = Math.min(...creations.map(({ start }) => start))
    const end = Math.min(...creations.map(({ end }) => end))
    return [{ start, end, state: step.pet }]
  })
  const others = timeline.flatMap(({ start, end, step }): Effect[] => {
    if (step.kind !== 'update' && step.kind !== 'delete') return []
    if (typeof step.answer === 'string') return []
    if (step.kind === 'delete') return [{ start, end, state: 'deleted' }]
    return [{ start, end, state: step.answer }]
  })
  return [unborn, ...created, ...others]
}

/** Whether the pet may have been in this state at some moment of a time. */
function isPossible(effect: Effect, all: readonly Effect[], start: number, end: number): boolean {
  return (
    effect.start < end &&
    !all.some((other) => other !== effect && other.start > effect.end && other.end < start)
  )
}

/** null: not known. */
function fits(filter: Filter, state: State | null): boolean | null {
  return state === null ? null : typeof state !== 'string' && matches(filter, state)
}
