/** What a server or a command says of a Postgres that it cannot open: which of the two URLs fails, and why. */
import { expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { run, startProgram, waitLines } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'

const database = useDatabase()

it.each(['keys list', 'serve'])('the URL that waiting cannot help is named: %s', async (command) => {
  const url = database.env.DATABASE_URL
  const wrong = `${url}?options=-c%20work_mem%3Dnone`
  const env = { DATABASE_LISTEN_URL: url, DATABASE_URL: wrong, PORT: '0' }
  const { status, stderr } = await run(env, ...command.split(' '))
  expect([status, stderr]).toEqual([1, expect.stringContaining('The database in DATABASE_URL cannot')])
})

it('a server that waits says when it waits for the other URL, although for the same reason', async () => {
  const url = database.env.DATABASE_URL
  const proxies = [await startProxy(url), await startProxy(url)] as const
  for (const proxy of proxies) {
    onTestFinished(() => proxy.close())
    proxy.hangUp(true)
  }
  const [listen, requests] = proxies
  const program = startProgram({ DATABASE_LISTEN_URL: listen.url, DATABASE_URL: requests.url })
  const variables = () => waitLines(program).map(({ variable }) => variable)
  await eventually(() => expect(variables()).toEqual(['DATABASE_LISTEN_URL']))
  listen.hangUp(false)
  await eventually(() => expect(variables()).toEqual(['DATABASE_LISTEN_URL', 'DATABASE_URL']))
  requests.hangUp(false)
  await program.ready
})
