import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { digestOf } from '../../../src/keys/api-key.ts'
import { OperatorError } from '../../../src/base/service-error.ts'
import { type ApiKeyFile, loadDemoKeys, openApiKeyFile } from '../../../src/keys/configured-keys.ts'
import { useDirectory } from '../../support/directory.ts'

describe('API_KEYS_FILE', () => {
  const path = join(useDirectory(), 'keys')
  const find = (file: ApiKeyFile, secret: string) => file.find(digestOf(secret), secret)

  const ann = 'the-secret-of-ann'
  const bob = 'the-secret-of-bob'
  beforeEach(() => writeFileSync(path, `# Keys of the shop\n\n  ann:${ann}\r\n  # old\nbob:${bob}:read\n`))

  it('each line is a key, except empty ones and comments', () => {
    const file = openApiKeyFile(path)
    expect(find(file, ann)).toMatchObject({ name: 'ann', scope: 'write' })
    expect(find(file, bob)).toMatchObject({ name: 'bob', scope: 'read' })
    expect(find(file, 'the-secret-of-cleo')).toBeNull()
  })

  it.each([
    ['ann', ['API_KEYS_FILE, line 1, must be']],
    [`# x\nann:${ann}\n\nbob:short`, ['API_KEYS_FILE, line 4, must be']],
    [`ann:${ann},bob:${bob}`, ['API_KEYS_FILE, line 1, must be']],
    [
      `ann:${ann}\nbob:${ann}\nx`,
      ['API_KEYS_FILE, line 2, repeats the secret', 'API_KEYS_FILE, line 3, must be'],
    ],
  ])('%j is rejected, with the number of each bad line and without secrets', (text, problems) => {
    writeFileSync(path, text)
    expect(() => openApiKeyFile(path)).toThrow(OperatorError)
    for (const problem of problems) expect(() => openApiKeyFile(path)).toThrow(problem)
    expect(() => openApiKeyFile(path)).not.toThrow(ann)
  })

  it('a missing file is named', () => {
    expect(() => openApiKeyFile(`${path}.missing`)).toThrow(/^API_KEYS_FILE cannot be read: .*keys\.missing/)
  })

  describe('after a reload', () => {
    it('the new keys are valid, the removed ones are not, and their names are returned', () => {
      const file = openApiKeyFile(path)
      writeFileSync(path, `ann:another-secret-of-ann:read\nbob:${bob}`)
      expect([...file.reload()]).toEqual(['ann'])
      expect(find(file, ann)).toBeNull()
      expect(find(file, 'another-secret-of-ann')).toMatchObject({ name: 'ann', scope: 'read' })
      expect(find(file, bob)).toMatchObject({ name: 'bob', scope: 'write' })
    })

    it('the earlier keys stay valid if the file has an error', () => {
      const file = openApiKeyFile(path)
      writeFileSync(path, `cleo:the-secret-of-cleo\nbob`)
      expect(() => file.reload()).toThrow('line 2')
      expect(find(file, ann)).toMatchObject({ name: 'ann', scope: 'write' })
      expect(find(file, 'the-secret-of-cleo')).toBeNull()
    })
  })
})

describe('the demo keys', () => {
  const parent = useDirectory()
  const createDirectory = () => mkdtempSync(join(parent, 'test-'))

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

  it('a secret that somebody has chosen is kept', () => {
    const directory = createDirectory()
    writeFileSync(join(directory, 'demo-key'), 'sixteen.letters+')
    expect(loadDemoKeys(directory).write.secret).toBe('sixteen.letters+')
  })
})
