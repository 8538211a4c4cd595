#!/usr/bin/env node
import { existsSync } from 'node:fs'
import process from 'node:process'
import { URL } from 'node:url'
import { ensureBuilt } from '../build.js'

// What is missing would otherwise fail later, with an error that does not say why.
if (!existsSync(new URL('../node_modules', import.meta.url)))
  fail('The packages are missing. Run npm ci first.')
if (Number.parseInt(process.versions.node) < 24)
  fail(`Pet Store needs Node 24 or newer. This is ${process.version}.`)
await ensureBuilt()
await import(new URL('../dist/main.js', import.meta.url).href)

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
