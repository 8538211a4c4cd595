/** An OpenTelemetry collector that keeps the spans it receives as JSON. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from './free-port.ts'

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  /** 1: internal, 2: server, 3: client. */
  kind: number
  attributes: Record<string, unknown>
  /** 2: error. */
  status: number
}

export interface TraceCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string
  spans: CollectedSpan[]
  /** The media type and the path of each request. */
  requests: { type: string | undefined; path: string | undefined }[]
  close(): void
}

/** The part of OTLP's JSON that the tests look at. */
interface ExportRequest {
  resourceSpans: {
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'attributes' | 'status'> & {
        attributes: { key: string; value: Record<string, unknown> }[]
        status: { code?: number }
      })[]
    }[]
  }[]
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const collector: Omit<TraceCollector, 'url' | 'close'> = { spans: [], requests: [] }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const type = request.headers['content-type']
      if (type === 'application/json') collector.spans.push(...readSpans(body))
      collector.requests.push({ type, path: request.url })
      response.setHeader('content-type', type ?? 'text/plain').end(type === 'application/json' ? '{}' : '')
    })
  })
  const port = await listenOnLoopback(server)
  return {
    ...collector,
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function readSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as ExportRequest
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
      status: span.status.code ?? 0,
    }))
}
