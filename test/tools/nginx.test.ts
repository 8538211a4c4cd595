/** Subscriptions through nginx as it comes, which buffers what it is not told to pass on. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { STREAM_TYPES, subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { endPrograms, startCommand } from '../support/process.ts'
import { KEY, useService } from '../support/service.ts'

const NGINX = '/usr/sbin/nginx'
const hasNginx = spawnSync(NGINX, ['-v']).error === undefined
if (!hasNginx)
  console.warn('Subscriptions are not tested through nginx: it is missing (Debian: nginx-light).')

const directory = useDirectory()

/** One process, with its files in our directory. */
function createConfig(port: number, server: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  )
  return `
daemon off;
master_process off;
pid ${join(directory, 'nginx.pid')};
error_log stderr;
events {}
http {
  access_log off;
  ${paths.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${server}; }
  }
}
`
}

describe.skipIf(!hasNginx)('behind nginx with a plain proxy_pass', () => {
  const service = useService({ TRUST_PROXY: 'loopback' }, createPostgresDatabase)
  let url: string
  beforeAll(async () => {
    const port = await findFreePort()
    url = `http://127.0.0.1:${port}`
    const config = join(directory, 'nginx.conf')
    writeFileSync(config, createConfig(port, service.url))
    startCommand(NGINX, ['-c', config], { env: {} })
    await eventually(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200))
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
