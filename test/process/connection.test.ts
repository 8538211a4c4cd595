/** A connection to a real Postgres, at a moment that no test of a server meets. */
import { Socket } from 'node:net'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { Connection } from '../../src/db/postgres/connections/connection.ts'
import { toHosts } from '../support/address.ts'

const toStatement = (text: string) => ({ name: 'test', text, parameters: [], prepare: false })

it('a statement is not taken for silent if its connection has been idle for as long as one may take', async () => {
  const setTimeout = vi.spyOn(Socket.prototype, 'setTimeout')
  onTestFinished(() => setTimeout.mockRestore())
  const connection = new Connection(toHosts(inject('postgresUrl')), () => undefined)
  onTestFinished(() => connection.destroy())
  await connection.run(toStatement('select 1'))
  const [socket] = setTimeout.mock.instances as unknown as Socket[]
  const running = connection.run(toStatement('select pg_sleep(0.2)::text'))
  socket?.emit('timeout')
  await expect(running).resolves.toEqual([['']])
})
