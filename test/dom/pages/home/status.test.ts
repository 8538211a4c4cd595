/** The status of the server on the home page. */
import { expect, it } from 'vitest'
import { answerRequests, loadScript, showHomePage } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/home/status.js')

const load = async () => {
  showHomePage({ items: 'items', restPath: '/items', list: null, commands: [] })
  const { showStatus } = (await loadScript('pages/assets/home/status.js')) as Script
  return showStatus
}
const look = () => {
  const link = document.getElementById('status')
  return [link?.textContent, link?.className]
}

it.each([
  ['ready', 'is-ready', () => new Response('')],
  ['not ready', 'is-not-ready', () => new Response('', { status: 503 })],
  ['not reachable', 'is-not-ready', () => Promise.reject(new TypeError('Failed to fetch'))],
])('the status is shown: %s', async (text, className, answer) => {
  const addresses: string[] = []
  answerRequests(({ address }) => {
    addresses.push(address)
    return answer()
  })
  const showStatus = await load()
  await showStatus()
  expect(look()).toEqual([text, className])
  expect(addresses).toEqual(['http://localhost:3000/readyz'])
})

it('of two answers, that to the later request is shown, in whatever order they come', async () => {
  const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()] as const
  const waiting = answers.map(({ promise }) => promise)
  answerRequests(() => waiting.shift() ?? new Response(''))
  const showStatus = await load()
  const shown = [showStatus(), showStatus()]
  answers[1].resolve(new Response('', { status: 503 }))
  await shown[1]
  answers[0].resolve(new Response(''))
  await shown[0]
  expect(look()).toEqual(['not ready', 'is-not-ready'])
})
