/** What clients are told who try a way that there is not. */
import { expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()

it('an upgrade to WebSocket names both ways to subscribe, even without a key', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  const { status, text } = await service.client.send('/graphql', { key: null, headers })
  expect([status, text]).toEqual([
    400,
    expect.stringMatching(/text\/event-stream.*multipart\/mixed;subscriptionSpec=1\.0/),
  ])
})

it.each(['PATCH', 'PUT', 'DELETE'])('%s of a pet names the mutations of GraphQL', async (method) => {
  const { status, json } = await service.client.send('/v1/pets/1', { method })
  expect([status, json]).toEqual([
    405,
    expect.objectContaining({ message: expect.stringContaining('mutations of the GraphQL API') as string }),
  ])
})
