/** The docs page: what it gives to Scalar, which a function of the tests stands for. */
import { beforeEach, expect, it, vi } from 'vitest'
import { readContract } from '../../../../src/rest/contract.ts'
import { answerRequests, createErrorResponse, loadScript, showLibraryPage } from '../../support/page.ts'

const CONTRACT = {
  paths: {
    '/items': {
      parameters: [],
      get: {
        operationId: 'listItems',
        responses: {
          200: { description: 'The items.' },
          429: { description: 'Too many requests.', 'x-addition': true },
        },
      },
      post: { operationId: 'createItem' },
    },
  },
  components: { responses: { Busy: { description: 'Busy.', 'x-addition': true } } },
}

const createApiReference = vi.fn()
let contract: () => Response

beforeEach(() => {
  createApiReference.mockReset()
  vi.stubGlobal('Scalar', { createApiReference })
  contract = () => Response.json(CONTRACT)
  answerRequests(({ address, key }) => {
    if (address === './v1/openapi.json') return contract()
    return createErrorResponse(key === 'wrong' ? 'UNAUTHORIZED' : 'FORBIDDEN')
  })
})

/** Opens the page, and lets the script of the library have run. */
async function open(key: string | null = null): Promise<void> {
  const equivalents = { listItems: { description: 'GraphQL equivalent', url: './graphql?query=x' } }
  history.replaceState(null, '', `/shop/docs${location.hash}`)
  showLibraryPage({ page: 'docs', contract: './v1/openapi.json', equivalents }, key)
  await loadScript('pages/assets/docs/docs.js')
  window.dispatchEvent(new Event('DOMContentLoaded'))
}
const element = (id: string) => document.getElementById(id)
const opened = async () => {
  await vi.waitFor(() => expect(createApiReference).toHaveBeenCalledOnce())
  return createApiReference.mock.calls[0] as [Element, Record<string, unknown>]
}

it('shows the contract with links to GraphiQL that are not relative, and with a mark at additions', async () => {
  await open()
  expect(element('docs')?.textContent).toBe('Loading…')
  const [place, { content }] = await opened()
  expect([place.id, place.textContent]).toEqual(['docs', ''])
  expect(content).toMatchObject({
    paths: {
      '/items': {
        get: {
          externalDocs: {
            description: 'GraphQL equivalent',
            url: 'http://localhost:3000/shop/graphql?query=x',
          },
          responses: {
            200: { description: 'The items.' },
            429: { description: 'Too many requests. *Addition.*' },
          },
        },
        post: { operationId: 'createItem' },
      },
    },
    components: { responses: { Busy: { description: 'Busy. *Addition.*' } } },
  })
})

it.each([
  [null, ''],
  ['page-key', 'page-key'],
])(
  'with the key %s, Scalar sends requests with the token "%s", and nothing to other servers',
  async (key, token) => {
    await open(key)
    const [, configuration] = await opened()
    expect(configuration).toMatchObject({
      authentication: { securitySchemes: { bearerAuth: { token } } },
      ...{ telemetry: false, proxyUrl: '', withDefaultFonts: false },
    })
    expect(element('key-page')?.hidden).toBe(true)
  },
)

it('keeps what Scalar stores for the session only', async () => {
  await open()
  await opened()
  localStorage.setItem('scalar-reference-auth-a', 'key')
  expect(sessionStorage.getItem('scalar-reference-auth-a')).toBe('key')
})

it('is shown behind the form if the key of the tab is not valid', async () => {
  history.replaceState(null, '', '/#key=wrong')
  await open()
  await opened()
  expect([element('key-page')?.hidden, element('docs')?.hidden]).toEqual([false, true])
  element('cancel')?.click()
  expect([element('key-page')?.hidden, element('docs')?.hidden]).toEqual([true, false])
})

it('asks for another key when a request that is tried is rejected', async () => {
  await open('page-key')
  await opened()
  await window.fetch('v1/items')
  await vi.waitFor(() => expect(element('key-problem')?.textContent).toBe('It is FORBIDDEN.'))
  expect(element('docs')?.hidden).toBe(true)
})

it('says that the contract could not be loaded, and leaves the fault to the console', async () => {
  const faults: unknown[] = []
  const onFault = (fault: unknown) => faults.push(fault)
  process.once('unhandledRejection', onFault)
  contract = () => new Response('Bad Gateway', { status: 502 })
  await open()
  await vi.waitFor(() => expect(element('docs')?.textContent).toContain('could not be loaded'))
  await vi.waitFor(() => expect(faults).toHaveLength(1))
})

it('names the only security scheme of the contract', async () => {
  const { SECURITY_SCHEME } = (await loadScript('pages/assets/docs/scalar-repairs.js')) as {
    SECURITY_SCHEME: string
  }
  const { components } = readContract().document as { components?: { securitySchemes?: object } }
  expect(Object.keys(components?.securitySchemes ?? {})).toEqual([SECURITY_SCHEME])
})
