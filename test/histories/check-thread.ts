/** A thread that checks histories, so that the clients need not wait for the checker. */
import { parentPort } from 'node:worker_threads'
import { findContradictions } from './check.ts'
import type { Operation } from './history.ts'

parentPort?.on('message', (history: Operation[]) => parentPort?.postMessage(findContradictions(history)))
