/** Builds the peer that is written in Go, if Go and Debian's packages for it are installed. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export const GO_PEER = join(import.meta.dirname, 'node_modules', '.cache', 'hand-go')

/** @returns why it cannot be built; null: it has been */
export function buildGoPeer(): string | null {
  const source = join(import.meta.dirname, 'peers', 'hand-go', 'main.go')
  // Debian's packages are found without modules.
  const env = { ...process.env, GOPATH: '/usr/share/gocode', GO111MODULE: 'off' }
  const { error, status, stderr } = spawnSync('go', ['build', '-o', GO_PEER, source], {
    env,
    encoding: 'utf8',
  })
  if (error) return 'Go is not installed (Debian: golang-go, golang-github-jackc-pgx-v4-dev)'
  return status === 0 ? null : stderr.trim()
}
