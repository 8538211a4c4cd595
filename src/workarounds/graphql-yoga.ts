/**
 * What is done because graphql-yoga 5.24.1 is wrong. For each function, test/network/workarounds/graphql-yoga.test.ts has a test that
 * fails when the library has been mended.
 */

/**
 * Cancels a stream of server-sent events that was not read yet. It begins with its first read: `cancel` then throws a TypeError, and the
 * subscription stays open (getSSEProcessor, `iterator.return`).
 */
export async function cancelStream(stream: ReadableStream): Promise<void> {
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel()
}
