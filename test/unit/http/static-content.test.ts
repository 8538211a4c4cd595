import Fastify from 'fastify'
import { expect, it, vi } from 'vitest'
import { loadOnce } from '../../../src/http/static-content.ts'
import { registerFiles } from '../../../src/pages/files.ts'
import { createPage } from '../../../src/pages/page.ts'

it('calls that come at once share one load, and later ones what it has loaded', async () => {
  const load = vi.fn(async () => ({}))
  const get = loadOnce(load)
  const [first, second] = await Promise.all([get(), get()])
  expect(second).toBe(first)
  expect(await get()).toBe(first)
  expect(load).toHaveBeenCalledOnce()
})

it('after a failure, the next call loads again', async () => {
  const load = vi.fn(async () => 'loaded').mockRejectedValueOnce(new Error('EMFILE'))
  const get = loadOnce(load)
  await expect(Promise.all([get(), get()])).rejects.toThrow('EMFILE')
  expect(await get()).toBe('loaded')
  expect(load).toHaveBeenCalledTimes(2)
})

it('a page that failed once is served the next time, and so are its files', async () => {
  const app = Fastify()
  const load = vi.fn(async () => ({ 'page.js': '1' })).mockRejectedValueOnce(new Error('EMFILE'))
  const files = registerFiles(app, { folder: '/page', load })
  const render = async () => (await files())['page.js']
  app.get('/page', createPage({ policy: '', readKey: null, render }))
  const answers = [await app.inject('/page'), await app.inject('/page')]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 200])
  const file = await app.inject(new URL(answers[1]?.body ?? '', 'http://localhost').pathname)
  expect([file.statusCode, file.body]).toEqual([200, '1'])
})

it('the files of a page have other URLs if one of them changes', async () => {
  const register = (files: Record<string, string>) =>
    registerFiles(Fastify(), { folder: '/page', load: async () => files })()
  const before = await register({ 'page.js': '1', 'other.js': '2' })
  expect(await register({ 'page.js': '1', 'other.js': '2' })).toEqual(before)
  const after = await register({ 'page.js': '1', 'other.js': '3' })
  expect(Object.keys(after).filter((name) => after[name] === before[name])).toEqual([])
})
