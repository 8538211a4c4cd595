#!/usr/bin/env node
import { URL } from 'node:url'
import { ensureBuilt } from '../build.js'

await ensureBuilt()
await import(new URL('../dist/main.js', import.meta.url).href)
