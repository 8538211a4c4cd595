/** What a page notices of the requests that its library sends. */
import { expect, it, vi } from 'vitest'
import { answerRequests, loadScript } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/shared/watch-fetch.js')

it('each JSON body is seen, and no other, also if the library has replaced fetch; the library gets all responses whole', async () => {
  const answers = [Response.json({ a: 1 }), new Response('text'), Response.json({ b: 2 })]
  const waiting = [...answers]
  answerRequests(() => waiting.shift() ?? Response.error())
  const { watchJson } = (await loadScript('pages/assets/shared/watch-fetch.js')) as Script
  const fetchOfBrowser = window.fetch.bind(window)
  const byLibrary = vi.fn(fetchOfBrowser)
  window.fetch = byLibrary
  const seen: unknown[] = []
  watchJson((body) => seen.push(body))
  const received = []
  while (waiting.length > 0) received.push(await window.fetch('/api'))
  expect(received).toEqual(answers)
  expect(await received[0]?.json()).toEqual({ a: 1 })
  expect(byLibrary).toHaveBeenCalledTimes(3)
  await vi.waitFor(() => expect(seen).toEqual([{ a: 1 }, { b: 2 }]))
})

it('a body of another server is not seen', async () => {
  answerRequests(({ address }) => Response.json({ address }))
  const { watchJson } = (await loadScript('pages/assets/shared/watch-fetch.js')) as Script
  const seen: unknown[] = []
  watchJson((body) => seen.push(body))
  const others = ['https://staging.example/api', new URL('https://staging.example/api')]
  for (const request of [...others, new Request('https://staging.example/api'), new Request('/api'), '/last'])
    await window.fetch(request)
  await vi.waitFor(() => expect(seen).toHaveLength(2))
  expect(JSON.stringify(seen)).not.toContain('staging')
})
