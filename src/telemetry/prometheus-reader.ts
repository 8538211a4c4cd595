import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { type MetricData, MetricReader } from '@opentelemetry/sdk-metrics'
import type { FastHistogram } from './fast-histogram.ts'

/** What the serializer (0.301) does not add, although Prometheus's conventions and OpenTelemetry's translation to them require it. */
const SUFFIXES: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' }

/** Reads all metrics in Prometheus's text format. The exporter's own reader would start a server that it does not close. */
export class PrometheusReader extends MetricReader {
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true)

  /** @param histograms are not the SDK's */
  async read(histograms: readonly FastHistogram[]): Promise<string> {
    const { resourceMetrics } = await this.collect()
    const own = { scope: { name: 'pet-store' }, metrics: histograms.map((histogram) => histogram.read()) }
    const scopeMetrics = [own, ...resourceMetrics.scopeMetrics].map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(addUnit),
    }))
    return this.#serializer.serialize({ ...resourceMetrics, scopeMetrics })
  }

  protected override async onForceFlush(): Promise<void> {
    // Nothing is buffered.
  }

  protected override async onShutdown(): Promise<void> {
    // Nothing is open.
  }
}

function addUnit<Metric extends MetricData>(metric: Metric): Metric {
  const { unit } = metric.descriptor
  // Prometheus reserves _count for histograms.
  const name = metric.descriptor.name.replace(/\.count$/, 's')
  // Without a unit there is no UNIT comment, which would name it in OpenTelemetry's way.
  return { ...metric, descriptor: { ...metric.descriptor, name: name + (SUFFIXES[unit] ?? ''), unit: '' } }
}
