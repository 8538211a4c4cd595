import { describe, expect, it, vi } from 'vitest'
import { refuseOtherPrograms } from '../../../../src/db/embedded/other-programs.ts'
import { APPLICATION_NAME } from '../../../../src/db/postgres/application-name.ts'

/** The first message of a connection (PostgreSQL manual, 54.7). */
function startupMessage(parameters: Record<string, string>, version = 0x0003_0000): Buffer {
  const texts = Object.entries(parameters).flat()
  const body = Buffer.from(`${texts.map((text) => `${text}\0`).join('')}\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + body.length)
  head.writeInt32BE(version, 4)
  return Buffer.concat([head, body])
}

/** @returns what the client gets, and whether the database got the message */
async function pass(message: Buffer) {
  const execute = vi.fn(async () => undefined)
  let answer = ''
  // Within a larger buffer, as what a socket has received may be.
  const received = new Uint8Array(Buffer.concat([Buffer.alloc(3), message])).subarray(3)
  const onRawData = (data: Uint8Array) => (answer += Buffer.from(data).toString())
  await refuseOtherPrograms(execute)(received, { onRawData })
  return { answer, isPassedOn: execute.mock.calls.length > 0 }
}

const own = { user: 'postgres', application_name: APPLICATION_NAME }

describe('a first message', () => {
  it('of this server is passed on', async () => {
    expect(await pass(startupMessage(own))).toEqual({ answer: '', isPassedOn: true })
  })

  it.each([
    ['another program', startupMessage({ ...own, application_name: 'pg_dump' })],
    ['a program without a name', startupMessage({ user: 'postgres' })],
    [
      'a user with the name of this server',
      startupMessage({ user: 'application_name', [APPLICATION_NAME]: '' }),
    ],
    ['a newer version of the protocol', startupMessage(own, 0x0003_0002)],
    ['another protocol', startupMessage(own, 0x0004_0000)],
    ['a request for encryption', startupMessage({}, 80_877_104)],
    ['no version', Buffer.alloc(4)],
  ])('of %s is refused', async (_, message) => {
    const { answer, isPassedOn } = await pass(message)
    expect(isPassedOn).toBe(false)
    expect(answer).toMatch(/^E\0\0\0.SFATAL\0VFATAL\0C28000\0MThis database is embedded.*\0\0$/s)
  })
})

it('a later message is passed on, whatever it contains', async () => {
  const query = Buffer.from('Q\0\0\0\x0bselect\0')
  expect(await pass(query)).toEqual({ answer: '', isPassedOn: true })
})
