/** The runner against a server that is a function. */
import { expect, it } from 'vitest'
import type { Answer, PlainRequest } from './exchange.ts'
import { checkServer, type ClauseResult, groups } from './check-server.ts'
import { OperatorError } from '../../src/base/operator-error.ts'
import { NoAnswerError } from './http-client.ts'

const pet = (id: number) => `{"id":${id},"name":"Rex","categoryId":1}`
const answer = (status: number, text: string): Answer => ({ status, headers: {}, text })

interface Options {
  writes?: boolean
  created?: unknown[]
}

/** @param send answers what is not a list of pets, which is always there */
async function run(send: (request: PlainRequest) => Answer, { writes = false, created = [] }: Options = {}) {
  const requests: PlainRequest[] = []
  const results: ClauseResult[] = []
  const onCreated = (pet: unknown) => void created.push(pet)
  const options = { key: 'secret', writes, onCreated }
  const record = async (request: PlainRequest) => {
    requests.push(request)
    return send(request)
  }
  for await (const result of checkServer({ ...options, send: record })) results.push(result)
  return { requests, results, find: (id: string) => results.find((result) => result.id === id) }
}

const list = (request: PlainRequest) =>
  request.path === '/v1/pets?limit=100' ? answer(200, `[${pet(1)}]`) : answer(404, '{}')

it('gives one result for each clause, those of the contract first; an addition to a clause has its id and a plus sign', async () => {
  const { results } = await run(list)
  const ids = results.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const clauses = groups.flatMap((group) => group.clauses)
  expect(ids.filter((id) => !id.endsWith('+')).sort()).toEqual(clauses.map(({ id }) => id).sort())
  const origins = results.map(({ origin }) => origin)
  expect(origins.lastIndexOf('contract')).toBeLessThan(origins.indexOf('addition'))
  const contract = results.filter(({ origin }) => origin === 'contract').map(({ id }) => `${id}+`)
  expect(contract).toEqual(expect.arrayContaining(ids.filter((id) => id.endsWith('+'))))
})

// Which methods it sends, and how it ends otherwise: test/process/verify.test.ts.
it('sends POST requests only to create pets, and only with `writes`', async () => {
  expect((await run(list)).find('CREATE-01')).toMatchObject({
    outcome: 'skipped',
    reason: expect.stringContaining('--write'),
  })
  const { requests } = await run(list, { writes: true })
  for (const { path, method } of requests) if (method === 'POST') expect(path).toBe('/v1/pets')
})

it('skips clauses that need a second API key, and says why', async () => {
  const { find } = await run(list, { writes: true })
  const reason = 'need a second key, which this command does not take'
  expect(find('SCOPE-01')).toMatchObject({ outcome: 'skipped', reason })
})

it('sends the key as a bearer token, and no large bodies', async () => {
  const { requests } = await run(list, { writes: true })
  expect(requests[0]?.headers.authorization).toBe('Bearer secret')
  for (const { body = '' } of requests) expect(body.length).toBeLessThan(1_000)
})

it('skips clauses about existing pets if there are none', async () => {
  const { find } = await run(() => answer(200, '[]'))
  for (const id of ['GET-01', 'GET-02', 'LIST-15']) expect(find(id)).toMatchObject({ outcome: 'skipped' })
})

it('reports each created pet', async () => {
  const created: unknown[] = []
  const send = (request: PlainRequest) => {
    if (request.method !== 'POST') return list(request)
    return String(request.body).includes('sold') ? answer(201, '{}') : answer(201, pet(7))
  }
  await run(send, { writes: true, created })
  expect(created).toContain(null)
  expect(created).toContainEqual({ id: 7n, name: 'Rex', categoryId: 1n })
})

it('reads the pets again if they have changed meanwhile', async () => {
  let id = 1
  const { find } = await run((request) => {
    if (request.path === '/v1/pets?limit=100') return answer(200, `[${pet(id)}]`)
    if (request.path === '/v1/pets/1') id = 2
    return request.path === '/v1/pets/2' ? answer(200, pet(2)) : answer(404, '{}')
  })
  expect(find('GET-01')).toMatchObject({ outcome: 'holds' })
})

it('one request without an answer fails its clause; three in a row end the run', async () => {
  const refuse = (request: PlainRequest, pattern: RegExp) => {
    if (pattern.test(request.path)) throw new NoAnswerError('no answer')
    return list(request)
  }
  const { find } = await run((request) => refuse(request, /limit=101$/))
  expect(find('LIST-17')).toMatchObject({ outcome: 'fails', reason: 'no answer' })
  await expect(run((request) => refuse(request, /pets\/-?\d+$/))).rejects.toThrow(NoAnswerError)
  // Two in a row, which depend on the pets.
  const two = await run((request) => refuse(request, /pets\/(0|-1)$/))
  expect(two.find('GET-05.2')).toMatchObject({ outcome: 'fails', reason: 'no answer' })
  // Three that are not in a row.
  await run((request) => refuse(request, /limit=(1|101)$|status=sold$/))
})

it.each([401, 403])('ends if the first answer is %i, and names the key', async (status) => {
  const failed = run(() => answer(status, ''))
  await expect(failed).rejects.toThrow(OperatorError)
  await expect(failed).rejects.toThrow('PETSTORE_API_KEY')
})
