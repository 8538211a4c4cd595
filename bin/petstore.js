#!/usr/bin/env node
import process from 'node:process'
import { URL } from 'node:url'
import { ensureBuilt } from '../build.js'

// An older Node fails while it loads the bundle, with an error that does not say why.
if (Number.parseInt(process.versions.node) < 24) {
  process.stderr.write(`Pet Store needs Node 24 or newer. This is ${process.version}.\n`)
  process.exit(1)
}
await ensureBuilt()
await import(new URL('../dist/main.js', import.meta.url).href)
