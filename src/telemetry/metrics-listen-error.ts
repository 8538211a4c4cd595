/** The metrics cannot be served on METRICS_HOST and METRICS_PORT. */
export class MetricsListenError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
