import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { StartError } from '../../../src/base/errors.ts'
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

it.each(['x', 'fifteen-letters', 'a-secret with spaces in it', 'a-long-secret-in-two\nlines'])(
  'the server does not start with the secret %j, and does not print it',
  (secret) => {
    const directory = createDirectory()
    writeFileSync(join(directory, 'demo-key'), `${secret}\n`)
    expect(() => loadDemoSecret(directory)).toThrow(StartError)
    expect(() => loadDemoSecret(directory)).toThrow(/demo-key must be at least 16 letters.*Delete the file/)
    if (secret.length > 1) expect(() => loadDemoSecret(directory)).not.toThrow(secret)
  },
)

it('a secret that somebody has chosen is kept', () => {
  const directory = createDirectory()
  writeFileSync(join(directory, 'demo-key'), 'sixteen.letters+')
  expect(loadDemoSecret(directory)).toBe('sixteen.letters+')
})
