import { type Attributes, ValueType } from '@opentelemetry/api'
import { AggregationTemporality, DataPointType, type HistogramMetricData } from '@opentelemetry/sdk-metrics'

/**
 * A histogram that finds its series by a key. The SDK's own finds it by sorting and serializing all labels of each measurement,
 * which takes as long as everything else that metrics do for a request.
 */
export class FastHistogram {
  readonly #descriptor: HistogramMetricData['descriptor']
  readonly #boundaries: number[]
  readonly #series = new Map<string, Series>()

  /** @param boundaries the upper bounds of the buckets, in seconds */
  constructor(name: string, description: string, boundaries: number[]) {
    this.#descriptor = { name, description, unit: 's', valueType: ValueType.DOUBLE }
    this.#boundaries = boundaries
  }

  /** @param describe returns the labels of a key; called only for a new one */
  record(seconds: number, key: string, describe: () => Attributes): void {
    let series = this.#series.get(key)
    if (!series) {
      series = { attributes: describe(), count: 0, sum: 0, counts: [...this.#boundaries.map(() => 0), 0] }
      this.#series.set(key, series)
    }
    series.count += 1
    series.sum += seconds
    let bucket = 0
    while (seconds > (this.#boundaries[bucket] ?? Infinity)) bucket += 1
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
  }

  /** Everything since the start, as the SDK would export it. */
  read(): HistogramMetricData {
    return {
      descriptor: this.#descriptor,
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: Array.from(this.#series.values(), ({ attributes, count, sum, counts }) => ({
        attributes,
        // Prometheus's text format has no times.
        startTime: [0, 0],
        endTime: [0, 0],
        value: { count, sum, buckets: { boundaries: this.#boundaries, counts } },
      })),
    }
  }
}

interface Series {
  attributes: Attributes
  count: number
  sum: number
  /** The measurements in each bucket; the last one has no upper bound. */
  counts: number[]
}
