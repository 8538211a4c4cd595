/** nginx with its defaults: a proxy_pass, and nothing else. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.ts'
import { ROOT, startCommand } from './process.ts'

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
  return start(
    directory,
    port,
    `server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; ${settings} } }`,
  )
}

/** Starts it with deploy/nginx.conf, in front of one server and without TLS. @returns its URL */
export async function startNginxWith(directory: string, target: string): Promise<string> {
  const port = await findFreePort()
  const config = readFileSync(join(ROOT, 'deploy', 'nginx.conf'), 'utf8')
    .replace('127.0.0.1:4000', new URL(target).host)
    .replace(/server 127.0.0.1:4001.*/, '')
    // What it offers in comments.
    .replace('# location', 'location')
    .replace(/# map .*# limit_req_zone/s, (lines) => lines.replaceAll(/^# /gm, ''))
    .replaceAll('# limit_req', 'limit_req')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/^ *ssl_certificate.*$/gm, '')
  return start(directory, port, config)
}

async function start(directory: string, port: number, servers: string): Promise<string> {
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
${servers}
}
`,
  )
  startCommand(PROGRAM, ['-e', 'stderr', '-c', config], { env: {} })
  const url = `http://127.0.0.1:${port}`
  await eventually(() => fetch(`${url}/healthz`))
  return url
}
