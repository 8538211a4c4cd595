#!/usr/bin/env node
import { existsSync } from 'node:fs'
import process from 'node:process'
import { URL } from 'node:url'

// In a checkout, what is missing would otherwise fail later, with an error that does not say why.
const [sources, packages] = ['../src', '../node_modules'].map((path) => new URL(path, import.meta.url))
if (sources && packages && existsSync(sources) && !existsSync(packages))
  fail('The packages are missing. Run npm ci first.')
if (Number.parseInt(process.versions.node) < 24)
  fail(`Pet Store needs Node 24 or newer. This is ${process.version}.`)
restartWithOptions()
// Only now: an older Node does not get as far as the message above if it loads this.
const { ensureBuilt } = await import('../build.js')
await ensureBuilt()
await import(new URL('../dist/main.js', import.meta.url).href)

/**
 * Options that Node must have before it starts: the size of V8's young generation, and no inspector. Not in the first line, since an
 * older Node would reject them before it reads anything here. The process stays the same.
 */
function restartWithOptions() {
  const options = ['--max-semi-space-size=16', '--disable-sigusr1']
  if (process.platform === 'win32' || options.every((option) => process.execArgv.includes(option))) return
  const [program, ...args] = process.argv
  if (program) process.execve?.(program, [program, ...process.execArgv, ...options, ...args], process.env)
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
