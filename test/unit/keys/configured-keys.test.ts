import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../../../src/base/operator-error.ts'
import { OpeningError } from '../../../src/db/opening-error.ts'
import { loadDemoKeys } from '../../../src/keys/configured-keys.ts'
import { useDirectory } from '../../support/directory.ts'

describe('the demo keys', () => {
  const parent = useDirectory()
  const createDirectory = () => mkdtempSync(join(parent, 'test-'))

  it('cannot be made in a directory that cannot be used', () => {
    expect(() => loadDemoKeys(join(createDirectory(), 'absent'))).toThrow(OpeningError)
  })

  it('are created once, one that writes and one that reads, and only their owner may read the files', () => {
    const directory = createDirectory()
    const keys = loadDemoKeys(directory)
    expect(loadDemoKeys(directory)).toEqual(keys)
    expect(keys).toMatchObject({
      write: { name: 'demo', scope: 'write' },
      read: { name: 'demo-read', scope: 'read' },
    })
    expect(keys.read.secret).not.toBe(keys.write.secret)
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

  it('an empty file is replaced', () => {
    const directory = createDirectory()
    writeFileSync(join(directory, 'demo-key'), '\n')
    expect(loadDemoKeys(directory).write.secret).toMatch(/^[\w-]{43}$/)
  })

  it.each(['x', 'fifteen-letters', 'a-secret with spaces in it', 'a-long-secret-in-two\nlines'])(
    'the server does not start with the secret %j, and does not print it',
    (secret) => {
      const directory = createDirectory()
      writeFileSync(join(directory, 'demo-key'), `${secret}\n`)
      expect(() => loadDemoKeys(directory)).toThrow(OperatorError)
      expect(() => loadDemoKeys(directory)).toThrow(/demo-key must be at least 16 letters.*Delete the file/)
      if (secret.length > 1) expect(() => loadDemoKeys(directory)).not.toThrow(secret)
    },
  )

  it('a secret that the operator has chosen is kept', () => {
    const directory = createDirectory()
    writeFileSync(join(directory, 'demo-key'), 'sixteen.letters+')
    expect(loadDemoKeys(directory).write.secret).toBe('sixteen.letters+')
  })
})
