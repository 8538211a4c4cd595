import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadDemoSecret } from '../../../src/keys/demo-key.ts'

function createDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-demo-key-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

it('the demo key is created once, and only its owner may read the file', () => {
  const directory = createDirectory()
  const secret = loadDemoSecret(directory)
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(loadDemoSecret(directory)).toBe(secret)
  expect(readdirSync(directory)).toEqual(['demo-key'])
  expect(readFileSync(join(directory, 'demo-key'), 'utf8')).toBe(`${secret}\n`)
  expect(statSync(join(directory, 'demo-key')).mode & 0o777).toBe(0o600)
})

it('an empty file is replaced', () => {
  const directory = createDirectory()
  writeFileSync(join(directory, 'demo-key'), '\n')
  expect(loadDemoSecret(directory)).toMatch(/^[\w-]{43}$/)
})
