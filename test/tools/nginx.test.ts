/** Subscriptions through nginx as it comes, which buffers what it is not told to pass on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { STREAM_TYPES, subscribe } from '../support/event-stream.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { endPrograms } from '../support/process.ts'
import { KEY, useService } from '../support/service.ts'

describe.skipIf(!hasNginx)('behind nginx with a plain proxy_pass', () => {
  const service = useService({ TRUST_PROXY: 'loopback' }, createPostgresDatabase)
  const directory = useDirectory()
  let url: string
  beforeAll(async () => {
    url = await startNginx(directory, service.url)
  })
  afterAll(endPrograms)

  it.each(STREAM_TYPES)('each event of a subscription arrives at once: %s', async (accept) => {
    const stream = await subscribe(url, KEY, 'subscription { petChanged { kind pet { name } } }', {}, accept)
    for (const name of ['Rex', 'Luna']) {
      await service.client.createPet({ name, categoryId: 7 })
      expect(await stream.next()).toEqual({ data: { petChanged: { kind: 'created', pet: { name } } } })
    }
    stream.abort()
  })
})
