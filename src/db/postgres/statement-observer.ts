import type { Statement } from './statement.ts'

/** Called when a statement is queued, in the scope of its caller (trace-scope.ts). @returns undefined if nothing is recorded */
export type StatementObserver = (statement: Statement, callers: number) => StatementWatch | undefined

/** Follows one statement. */
export interface StatementWatch {
  /** It has got a connection. */
  onSent(): void
  /** It has ended, or will no longer be sent. @param error null if it succeeded */
  onEnded(error: Error | null): void
}

/** The connections of a pool, and the statements that wait for one. */
export interface PoolState {
  used: number
  idle: number
  waiting: number
}
