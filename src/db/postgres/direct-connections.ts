import type { Sql } from 'postgres'
import { ServiceError } from '../../base/errors.ts'
import { createClient } from './client.ts'
import { DedicatedConnection } from './dedicated-connection.ts'

/** The connections, past a pooler, for what takes any length of time: migrations, import and export. */
export class DirectConnections {
  readonly #address: () => string
  readonly #dedicated = new Set<DedicatedConnection>()
  #migrating: Sql | null = null
  #isClosed = false

  /** @param address asked for each connection */
  constructor(address: () => string) {
    this.#address = address
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE */
  connect(): DedicatedConnection {
    const connection = new DedicatedConnection(this.#open(), () => this.#dedicated.delete(connection))
    this.#dedicated.add(connection)
    return connection
  }

  /** A client for one migration at a time. @throws ServiceError DATABASE_UNAVAILABLE */
  createMigrationClient(): Sql {
    return (this.#migrating = createClient(this.#open(), { statementTimeout: 0 }))
  }

  #open(): string {
    if (this.#isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
    return this.#address()
  }

  /** Closes all connections at once; statements in flight fail. */
  retireConnections(): void {
    for (const connection of [...this.#dedicated]) connection.retire()
    void this.#migrating?.end({ timeout: 0 })
  }

  /** The same, and no new ones are made. */
  close(): void {
    this.#isClosed = true
    this.retireConnections()
  }
}
