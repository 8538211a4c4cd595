/** Refuses connections before the process reaches its limit of open files. */
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Observe } from '../../base/observation.ts'

/** The number of files reserved for everything but clients and statements: the log, pages, connections that serve no request. */
const RESERVED_FILES = 100
/** How long no connection must have been refused before the next one is reported. */
const REPORT_PAUSE_MS = 10_000

/**
 * @param databaseConnections the maximum number of those for statements
 * @param observe told of the first connection that is refused after a while without
 */
export function limitByOpenFiles(server: Server, databaseConnections: number, observe: Observe): void {
  const files = readMaxOpenFiles()
  if (files === null) return
  const connections = Math.max(1, files - RESERVED_FILES - databaseConnections)
  server.maxConnections = connections
  let refusedAt = -Infinity
  server.on('drop', () => {
    const now = performance.now()
    if (now - refusedAt > REPORT_PAUSE_MS) observe({ type: 'clients refused', connections, files })
    refusedAt = now
  })
}

/** @returns null if the system does not say, or there is no limit */
function readMaxOpenFiles(): number | null {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return files === undefined ? null : Number(files)
  } catch {
    return null
  }
}
