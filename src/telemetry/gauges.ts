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
export function registerGauges(
  meter: Meter,
  { pool, subscriptions, compiledDocuments, readers }: GaugeSources,
): void {
  if (readers.all.length > 0) registerStandbys(meter, readers)
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

/** A standby's label is its host; reads answered by the primary have the label `primary`. */
function registerStandbys(meter: Meter, readers: GaugeSources['readers']): void {
  meter
    .createObservableGauge('petstore.standby.used', {
      description: 'Whether a standby answers reads: 1, or 0 while it is left out.',
    })
    .addCallback((result) => {
      for (const { host, isUsed } of readers.all) result.observe(Number(isUsed), { standby: host })
    })
  meter
    .createObservableGauge('petstore.standby.lag', {
      description: 'How far the replay of a standby is behind what the primary has written.',
      unit: 's',
    })
    .addCallback((result) => {
      for (const { host, lag } of readers.all) result.observe(lag, { standby: host })
    })
  meter
    .createObservableCounter('petstore.reads', {
      description:
        'Operations that have read from a standby or, while standbys are configured, from the primary.',
    })
    .addCallback((result) => {
      for (const { host, reads } of readers.all) result.observe(reads, { target: host })
      result.observe(readers.primaryReads, { target: 'primary' })
    })
}
