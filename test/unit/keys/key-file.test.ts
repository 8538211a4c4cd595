import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { digestOf } from '../../../src/keys/auth.ts'
import { OperatorError } from '../../../src/base/errors.ts'
import { ApiKeyFile } from '../../../src/keys/key-file.ts'
import { useDirectory } from '../../support/directory.ts'

const path = join(useDirectory(), 'keys')
const find = (file: ApiKeyFile, secret: string) => file.find(digestOf(secret), secret)

const ann = 'the-secret-of-ann'
const bob = 'the-secret-of-bob'
beforeEach(() => writeFileSync(path, `# Keys of the shop\n\n  ann:${ann}\r\n  # old\nbob:${bob}:read\n`))

it('each line is a key, except empty ones and comments', () => {
  const file = new ApiKeyFile(path)
  expect(find(file, ann)).toEqual({ name: 'ann', scope: 'write' })
  expect(find(file, bob)).toEqual({ name: 'bob', scope: 'read' })
  expect(find(file, 'the-secret-of-cleo')).toBeNull()
})

it('may be empty', () => {
  writeFileSync(path, '')
  expect(find(new ApiKeyFile(path), ann)).toBeNull()
})

it.each([
  ['ann', ['API_KEYS_FILE, line 1, must be']],
  [`# x\nann:${ann}\n\nbob:short`, ['API_KEYS_FILE, line 4, must be']],
  [`ann:${ann},bob:${bob}`, ['API_KEYS_FILE, line 1, must be']],
  [`ann:${ann}\nbob:${ann}\nx`, ['API_KEYS_FILE, line 2, must be', 'API_KEYS_FILE, line 3, must be']],
])('%j is rejected, with the number of each bad line and without secrets', (text, problems) => {
  writeFileSync(path, text)
  expect(() => new ApiKeyFile(path)).toThrow(OperatorError)
  for (const problem of problems) expect(() => new ApiKeyFile(path)).toThrow(problem)
  expect(() => new ApiKeyFile(path)).not.toThrow(ann)
})

it('a missing file is named', () => {
  expect(() => new ApiKeyFile(`${path}.missing`)).toThrow(/^API_KEYS_FILE cannot be read: .*keys\.missing/)
})

describe('after a reload', () => {
  it('the new keys are valid, the removed ones are not, and their names are returned', () => {
    const file = new ApiKeyFile(path)
    writeFileSync(path, `ann:another-secret-of-ann:read\nbob:${bob}`)
    expect([...file.reload()]).toEqual(['ann'])
    expect(find(file, ann)).toBeNull()
    expect(find(file, 'another-secret-of-ann')).toEqual({ name: 'ann', scope: 'read' })
    expect(find(file, bob)).toEqual({ name: 'bob', scope: 'write' })
  })

  it('a secret that has another name now has left the old one', () => {
    const file = new ApiKeyFile(path)
    writeFileSync(path, `cleo:${ann}\nbob:${bob}`)
    expect([...file.reload()]).toEqual(['ann'])
    expect(find(file, ann)).toEqual({ name: 'cleo', scope: 'write' })
  })

  it('a request in flight sees that its key has been removed, or may do less, and that another one is the same', () => {
    const file = new ApiKeyFile(path)
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
    const file = new ApiKeyFile(path)
    writeFileSync(path, `cleo:the-secret-of-cleo\nbob`)
    expect(() => file.reload()).toThrow('line 2')
    expect(find(file, ann)).toEqual({ name: 'ann', scope: 'write' })
    expect(find(file, 'the-secret-of-cleo')).toBeNull()
  })
})
