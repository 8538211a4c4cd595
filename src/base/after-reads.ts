/**
 * Does what a time limit demands once everything that has arrived on the sockets has been read. If the process or its machine was
 * stopped for a while, timers end first, although the answer may be there.
 */
export function afterReads(work: () => void): NodeJS.Immediate {
  return setImmediate(work)
}
