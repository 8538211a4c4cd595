import { REQUIRED_SETTINGS } from '../../../src/db/postgres/connections/settings.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'

const [BOOLEAN, TEXT] = [16, 25]

/** What is needed of a statement. */
export interface Asked {
  text?: string
  onColumns?: Statement['onColumns'] | undefined
}

/** By the names of the columns in a statement. */
export type Answers = Readonly<Record<string, string | boolean | null>>

/** Answers a statement with one row. */
export function answerRow({ onColumns }: Asked, answers: Answers): TextRow[] {
  onColumns?.(
    Object.entries(answers).map(([name, value]) => ({
      name,
      type: typeof value === 'boolean' ? BOOLEAN : TEXT,
    })),
  )
  return [Object.values(answers).map((value) => (typeof value === 'boolean' ? (value ? 't' : 'f') : value))]
}

/** What a Postgres that can be used says at the start. */
export const START_ANSWERS = {
  isStandby: false,
  user: 'me',
  secured: null,
  hasCitus: false,
  mayIdentify: true,
  ...REQUIRED_SETTINGS,
}

/** What a database says of its state if nothing is wrong. */
export const HEALTHY_STATE = {
  place: 'here',
  missing: null,
  hidden: null,
  isReadOnly: false,
  isQueueHalfFull: false,
  lacksTriggers: false,
  skipsTriggers: false,
}
