import type { ContenderName } from './contenders.ts'
import type { Operation } from './operations.ts'

/** The settings from the command line. */
export interface Settings {
  /** The number of pets. */
  rows: number
  rounds: number
  /** How long a soak takes. */
  minutes: number
  /** Seconds per measurement, and of the warm-up before it. */
  seconds: number
  warmUp: number
  /** The numbers of clients to measure with; each client has one request at a time. */
  connections: number[]
  servers: ContenderName[]
  operations: Operation[]
  /** The root of another checkout of this project, which is built; null: none was given. */
  before: string | null
  /** The folder of the runs that the table of the throughput is made of; null: of this run alone. */
  runs: string | null
  /** The file that the servers' logs go to. */
  log: string
}
