/** Finds the answers of a history that cannot all be true. README.md says what is checked. */
import { creationOf, type IdentifiedPet, type Operation, type Pet } from './history.ts'
import { findWrongCounts } from './counts.ts'
import { isLinearizable, type Timed } from './linearize.ts'

/** @returns a sentence for each contradiction */
export function findContradictions(history: readonly Operation[]): string[] {
  const { idOf, contradictions } = identify(history)
  const creationOfId = new Map(Array.from(idOf, ([creation, id]) => [id, creation]))
  const starts = findStarts(history)
  const steps = history.flatMap((operation) => {
    switch (operation.kind) {
      case 'create':
        return [{ creation: creationOf(operation.pet), timed: toTimed(operation) }]
      case 'read':
      case 'update':
      case 'delete':
        return ofItem(operation)
      case 'page':
        return ofPage(operation)
      case 'count':
        return []
    }
  })

  function ofItem(operation: Of<'read' | 'update' | 'delete'>): StepOf[] {
    const creation = creationOfId.get(operation.id)
    return creation === undefined ? [] : [{ creation, timed: toTimed(operation) }]
  }

  /** What a page says about each pet. It shows one state of all, which is not before any write that it shows. */
  function ofPage({ after, filter, answer, client, start, end }: Of<'page'>): StepOf[] {
    const shown = new Map(answer.pets.map((pet) => [pet.id, pet]))
    const last = answer.upTo === null ? null : BigInt(answer.upTo)
    const at = Math.max(start, ...answer.pets.map(({ name }) => starts.get(name) ?? start))
    return Array.from(creationOfId)
      .filter(([id]) => BigInt(id) > BigInt(after) && (last === null || BigInt(id) <= last))
      .map(([id, creation]) => {
        const step = { kind: 'listed' as const, filter, answer: withoutId(shown.get(id)) }
        return { creation, timed: { client, start: at, end, step } }
      })
  }

  const pets = Map.groupBy(steps, ({ creation }) => creation)
  const timelines = new Map(Array.from(pets, ([creation, of]) => [creation, of.map(({ timed }) => timed)]))
  const broken = Array.from(timelines)
    .filter(([, timed]) => !isLinearizable(timed))
    .map(([creation, timed]) => describe(creation, timed))
  return [...contradictions, ...broken, ...findWrongCounts(history, timelines)]
}

type Of<Kind extends Operation['kind']> = Extract<Operation, { kind: Kind }>

interface StepOf {
  creation: string
  timed: Timed
}

function toTimed(operation: Of<'create' | 'read' | 'update' | 'delete'>): Timed {
  const { client, start, end } = operation
  return { client, start, end, step: operation }
}

/** Which pet was made by which creation, as far as answers show it. */
function identify(history: readonly Operation[]) {
  const idOf = new Map<string, string>()
  const creationOfId = new Map<string, string>()
  const contradictions = new Set<string>()
  const add = (id: string, pet: Pet): void => {
    const creation = creationOf(pet)
    const [first = id, other = creation] = [idOf.get(creation), creationOfId.get(id)]
    if (first !== id) contradictions.add(`${creation} was created twice, as ${first} and ${id}.`)
    if (other !== creation) contradictions.add(`The pet ${id} is both ${other} and ${creation}.`)
    idOf.set(creation, first)
    creationOfId.set(id, other)
  }
  for (const operation of history) {
    if (operation.kind === 'create') {
      if (operation.answer) add(operation.answer.id, operation.pet)
    } else if (operation.kind === 'page') for (const pet of operation.answer.pets) add(pet.id, pet)
    else if (operation.kind !== 'count' && operation.answer && typeof operation.answer === 'object')
      add(operation.id, operation.answer)
  }
  return { idOf, contradictions }
}

/** When the write began that gave a pet its name. */
function findStarts(history: readonly Operation[]): Map<string, number> {
  const starts = new Map<string, number>()
  for (const operation of history) {
    const name =
      operation.kind === 'create'
        ? operation.pet.name
        : operation.kind === 'update'
          ? operation.patch.name
          : undefined
    if (name !== undefined && !starts.has(name)) starts.set(name, operation.start)
  }
  return starts
}

function withoutId(pet: IdentifiedPet | undefined): Pet | null {
  return pet ? { name: pet.name, categoryId: pet.categoryId, status: pet.status } : null
}

/** The operations on a pet up to the first answer that does not fit. */
function describe(creation: string, timed: readonly Timed[]): string {
  const ends = timed.map(({ end }) => end).sort((one, other) => one - other)
  const end = ends.find((end) => !isLinearizable(until(end, timed))) ?? Infinity
  const lines = until(end, timed).map(
    ({ client, start, end, step }) =>
      `  ${start.toFixed(1)} to ${end.toFixed(1)} ms, client ${client}: ${JSON.stringify(step)}`,
  )
  return `The answers about ${creation} cannot all be true; the last to come was the first that does not fit:\n${lines.join('\n')}`
}

/** What was known at a moment: of a write in flight, only that it has been sent. */
function until(moment: number, timed: readonly Timed[]): Timed[] {
  return timed
    .filter(({ start, end, step }) => start <= moment && (end <= moment || !isRead(step)))
    .map((one) => (one.end <= moment ? one : { ...one, end: Infinity, step: unanswered(one.step) }))
    .sort((one, other) => one.start - other.start)
}

function isRead({ kind }: Timed['step']): boolean {
  return kind === 'read' || kind === 'listed'
}

function unanswered(step: Timed['step']): Timed['step'] {
  return step.kind === 'update' || step.kind === 'delete' ? { ...step, answer: null } : step
}
