import type { ContenderName } from './contenders.ts'
import type { Operation } from './operations.ts'

/** The settings from the command line. */
export interface Settings {
  /** The number of pets. */
  rows: number
  rounds: number
  /** Seconds per measurement, and of the warm-up before it. */
  seconds: number
  warmUp: number
  /** The number of clients, each with one request at a time. */
  connections: number
  servers: ContenderName[]
  operations: Operation[]
  /** The root of another checkout of this project, which is built; null: none was given. */
  before: string | null
  /** The file that the servers' logs go to. */
  log: string
}
