/** The part of a response that tells whether its client still waits for it. */
export interface ClientResponse {
  /** Whether it has been sent, or its connection has closed. */
  readonly destroyed: boolean
  /** Emitted once, when the response has been sent or its connection has closed, even if it was queued behind other responses. */
  once(event: 'close', listener: () => void): unknown
}
