import type { Meter } from '@opentelemetry/api'
import {
  ATTR_DB_CLIENT_CONNECTION_POOL_NAME,
  ATTR_DB_CLIENT_CONNECTION_STATE,
  METRIC_DB_CLIENT_CONNECTION_COUNT,
  METRIC_DB_CLIENT_CONNECTION_PENDING_REQUESTS,
} from '@opentelemetry/semantic-conventions/incubating'
import type { GaugeSources } from './telemetry.ts'

const labels = { [ATTR_DB_CLIENT_CONNECTION_POOL_NAME]: 'statements' }

/** What is read at each scrape. */
export function registerGauges(meter: Meter, { pool, subscriptions, compiledDocuments }: GaugeSources): void {
  meter
    .createObservableUpDownCounter(METRIC_DB_CLIENT_CONNECTION_COUNT, {
      description: 'Connections to the database that run a statement (used) or wait for one (idle).',
    })
    .addCallback((result) => {
      const { used, idle } = pool()
      result.observe(used, { ...labels, [ATTR_DB_CLIENT_CONNECTION_STATE]: 'used' })
      result.observe(idle, { ...labels, [ATTR_DB_CLIENT_CONNECTION_STATE]: 'idle' })
    })
  meter
    .createObservableUpDownCounter(METRIC_DB_CLIENT_CONNECTION_PENDING_REQUESTS, {
      description: 'Statements that wait for a connection.',
    })
    .addCallback((result) => result.observe(pool().waiting, labels))
  meter
    .createObservableUpDownCounter('petstore.subscriptions', {
      description: 'GraphQL subscriptions that are open.',
    })
    .addCallback((result) => result.observe(subscriptions()))
  meter
    .createObservableUpDownCounter('petstore.compiled_documents', {
      description: 'GraphQL documents in the compiled-query cache that are compiled.',
    })
    .addCallback((result) => result.observe(compiledDocuments()))
}
