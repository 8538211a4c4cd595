import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadDemoKeys } from '../../../src/keys/demo-key.ts'

function createDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-demo-key-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

it('the demo keys are created once, and only their owner may read the files', () => {
  const directory = createDirectory()
  const keys = loadDemoKeys(directory)
  expect(loadDemoKeys(directory)).toEqual(keys)
  expect(readdirSync(directory)).toEqual(['demo-key', 'demo-read-key'])
  for (const [file, { secret }] of [
    ['demo-key', keys.write],
    ['demo-read-key', keys.read],
  ] as const) {
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(readFileSync(join(directory, file), 'utf8')).toBe(`${secret}\n`)
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600)
  }
})

it('the second key only reads, and is another secret', () => {
  const { write, read } = loadDemoKeys(createDirectory())
  expect([write.name, write.scope, read.name, read.scope]).toEqual(['demo', 'write', 'demo-read', 'read'])
  expect(read.secret).not.toBe(write.secret)
})

it('an empty file is replaced', () => {
  const directory = createDirectory()
  writeFileSync(join(directory, 'demo-key'), '\n')
  expect(loadDemoKeys(directory).write.secret).toMatch(/^[\w-]{43}$/)
})
