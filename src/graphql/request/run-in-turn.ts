import type { Turns } from '../../base/turns.ts'
import type { Context } from './context.ts'

/** Does work that takes long in a turn of the event loop. @throws ServiceError OVERLOADED; GivenUpError if the client has gone meanwhile */
export function runInTurn<Result>(
  work: () => Result | Promise<Result>,
  { apiKey, response }: Context,
  { turns }: { turns: Turns },
): Promise<Result> {
  return turns.run(apiKey.name, work, () => response.destroyed)
}
