/** nginx as it comes: a proxy_pass, and nothing else. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.ts'
import { startCommand } from './process.ts'

const PROGRAM = '/usr/sbin/nginx'

export const hasNginx = spawnSync(PROGRAM, ['-v']).error === undefined
if (!hasNginx) console.warn('nginx is not tested: it is missing (Debian: nginx-light).')

/**
 * Starts it in front of a server; endPrograms ends it.
 * @param directory for its files
 * @param target the URL of the server
 * @param settings further directives of its location
 * @returns its URL
 */
export async function startNginx(directory: string, target: string, settings = ''): Promise<string> {
  const port = await findFreePort()
  const config = join(directory, `nginx-${port}.conf`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(directory, name)};`)
    .join(' ')
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${config}.pid; error_log stderr;
events {}
http {
  access_log off; ${paths}
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; ${settings} } }
}
`,
  )
  startCommand(PROGRAM, ['-e', 'stderr', '-c', config], { env: {} })
  const url = `http://127.0.0.1:${port}`
  await eventually(() => fetch(`${url}/healthz`))
  return url
}
