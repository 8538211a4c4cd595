import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { digestOf } from '../../../src/keys/api-key.ts'
import { OperatorError } from '../../../src/base/errors.ts'
import {
  type ApiKeyFile,
  loadDemoKeys,
  openApiKeyFile,
  parseApiKeys,
} from '../../../src/keys/configured-keys.ts'
import { useDirectory } from '../../support/directory.ts'

describe('API_KEYS', () => {
  /** The keys, or the invalid ones. */
  const read = (text: string) => {
    const problems: string[] = []
    const keys = parseApiKeys(text, problems)
    const invalid = problems.map((problem) => problem.replace(/, (must|repeats) .*/, ','))
    return invalid.length > 0 ? { invalid } : keys
  }
  const secret = 'abcXYZ019-._~+/='

  it.each([
    ['', []],
    [`ann:${secret}==`, [{ name: 'ann', secret: `${secret}==`, scope: 'write' }]],
    [`${'n'.repeat(64)}:${secret}`, [{ name: 'n'.repeat(64), secret, scope: 'write' }]],
    [`ann:${secret}:read`, [{ name: 'ann', secret, scope: 'read' }]],
    [`ann:${secret}:write`, [{ name: 'ann', secret, scope: 'write' }]],
    [
      `a-b_c.1:1${secret} , a-b_c.1:2${secret}:read,bob:3${secret}`,
      [
        { name: 'a-b_c.1', secret: `1${secret}`, scope: 'write' },
        { name: 'a-b_c.1', secret: `2${secret}`, scope: 'read' },
        { name: 'bob', secret: `3${secret}`, scope: 'write' },
      ],
    ],
  ])('may be %j', (text, keys) => expect(read(text)).toEqual(keys))

  it.each<[string, string[]]>([
    [secret, ['API_KEYS, key 1 of 1,']],
    [`:${secret}`, ['API_KEYS, key 1 of 1,']],
    ['ann:', ['API_KEYS, key 1 of 1,']],
    ['ann:fifteen-letters', ['API_KEYS, key 1 of 1,']],
    [`${'n'.repeat(65)}:${secret}`, ['API_KEYS, key 1 of 1,']],
    [`a b:${secret}`, ['API_KEYS, key 1 of 1,']],
    [`ann:${secret} x`, ['API_KEYS, key 1 of 1,']],
    [`ann:${secret}x`, ['API_KEYS, key 1 of 1,']],
    [`ann:${'='.repeat(16)}`, ['API_KEYS, key 1 of 1,']],
    [`ann:é${secret}`, ['API_KEYS, key 1 of 1,']],
    [`ann:${secret}:`, ['API_KEYS, key 1 of 1,']],
    [`ann:${secret}:READ`, ['API_KEYS, key 1 of 1,']],
    [`ann:${secret}:admin`, ['API_KEYS, key 1 of 1,']],
    [`ann:${secret}:read:read`, ['API_KEYS, key 1 of 1,']],
    [`ann:${secret},`, ['API_KEYS, key 2 of 2,']],
    [`ann:${secret},bob:${secret}:read`, ['API_KEYS, key 2 of 2,']],
    [`x,ann:${secret},y`, ['API_KEYS, key 1 of 3,', 'API_KEYS, key 3 of 3,']],
  ])('may not be %j', (text, invalid) => expect(read(text)).toEqual({ invalid }))
})

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

  it('may be empty', () => {
    writeFileSync(path, '')
    expect(find(openApiKeyFile(path), ann)).toBeNull()
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

    it('a secret that has another name now has left the old one', () => {
      const file = openApiKeyFile(path)
      writeFileSync(path, `cleo:${ann}\nbob:${bob}`)
      expect([...file.reload()]).toEqual(['ann'])
      expect(find(file, ann)).toMatchObject({ name: 'cleo', scope: 'write' })
    })

    it('a request in flight sees that its key has been removed, or may do less, and that another one is the same', () => {
      const file = openApiKeyFile(path)
      const secrets = [ann, bob, 'the-secret-of-cleo']
      writeFileSync(path, secrets.map((secret, index) => `name${index}:${secret}`).join('\n'))
      file.reload()
      const keys = secrets.map((secret) => find(file, secret))
      writeFileSync(path, `name1:${bob}:read\nname2:the-secret-of-cleo`)
      expect([...file.reload()]).toEqual(['name0'])
      expect(keys.map((key) => key?.isValid)).toEqual([false, false, true])
      expect(find(file, 'the-secret-of-cleo')).toBe(keys[2])
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
  function createDirectory(): string {
    const directory = mkdtempSync(join(tmpdir(), 'pet-store-demo-key-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    return directory
  }

  it('are created once, and only their owner may read the files', () => {
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
