import { processRegularResult } from 'graphql-yoga'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MULTIPART } from '../../../src/graphql/media-types.ts'
import { multipartSubscriptions } from '../../../src/graphql/multipart.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type OnResultProcess = NonNullable<ReturnType<typeof multipartSubscriptions>['onResultProcess']>
type ResultEvent = Parameters<OnResultProcess>[0]

/** The answer to a subscription with these results. */
async function answer(results: AsyncIterable<object>): Promise<Response> {
  const processed = Promise.withResolvers<Response>()
  await multipartSubscriptions().onResultProcess?.({
    result: results,
    resultProcessor: processRegularResult,
    serverContext: { accepted: [MULTIPART] },
    setResultProcessor: ((process) =>
      processed.resolve(
        process(results as never, { ReadableStream, Response } as never, MULTIPART),
      )) as ResultEvent['setResultProcessor'],
  } as unknown as ResultEvent)
  return processed.promise
}

// eslint-disable-next-line require-yield -- it fails before
async function* fail(): AsyncGenerator<object> {
  throw await Promise.resolve(new Error('lost'))
}

it('a subscription whose events fail ends, and sends no more pings', async () => {
  const response = await answer(fail())
  await expect(response.text()).rejects.toThrow('lost')
  expect(vi.getTimerCount()).toBe(0)
})
