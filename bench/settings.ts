import type { ContenderName } from './contenders.ts'
import type { Operation } from './operations.ts'

/** What the command line says. */
export interface Settings {
  /** How many animals there are. */
  rows: number
  rounds: number
  /** Seconds of each measurement, and of the load before it that does not count. */
  seconds: number
  warmUp: number
  servers: ContenderName[]
  operations: Operation[]
  /** The file that takes the servers' logs. */
  log: string
}
