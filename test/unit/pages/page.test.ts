import Fastify from 'fastify'
import { expect, it, vi } from 'vitest'
import { registerFiles, registerFileSending } from '../../../src/pages/page-files.ts'
import { createPage, fill, renderPage } from '../../../src/pages/page.ts'

it.each([
  ['{{a}}{{b-c}}', { a: '1', 'b-c': '{{a}}' }, '1{{a}}'],
  ['{{#a}}[{{a}}{{b}}]{{/a}}', { a: 'x', b: '$&' }, '[x$&]'],
  ['{{#a}}{{b}}{{/a}}{{#c}}{{b}}{{/c}}', { a: '', c: false }, ''],
  ['{{#a}}1{{/a}}{{#b}}2{{/b}}', { a: true }, '1'],
  ['{ pets { id } } {{ a }}', {}, '{ pets { id } } {{ a }}'],
])('%s with %o is %s', (html, values, expected) => {
  expect(fill(html, values)).toBe(expected)
})

it('a place without a value is a mistake', () => {
  expect(() => fill('{{a}}', { b: '1' })).toThrow('{{a}} has no value.')
})

it('a setting cannot end the script', async () => {
  const site = { graphiql: true, readKey: null, assets: async () => './assets' }
  const settings = { samples: '</script><script>alert(1)</script>' }
  const page = await renderPage('docs.html', site, { settings, places: { library: './docs' } })
  expect(page.match(/<\/script>/g)).toHaveLength(3)
})

it('a page that failed once is served the next time, and so are its files', async () => {
  const app = Fastify()
  const load = vi.fn(async () => ({ 'page.js': '1' })).mockRejectedValueOnce(new Error('EMFILE'))
  registerFileSending(app)
  const files = registerFiles(app, { folder: '/page', load })
  app.get('/page', createPage({ policy: '', readKey: null, render: files }))
  const answers = [await app.inject('/page'), await app.inject('/page')]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 200])
  const file = await app.inject(new URL(`${answers[1]?.body ?? ''}/page.js`, 'http://localhost').pathname)
  expect([file.statusCode, file.body]).toEqual([200, '1'])
})

it('the files of a page have another URL if one of them changes', async () => {
  const register = (files: Record<string, string>) =>
    registerFiles(Fastify(), { folder: '/page', load: async () => files })()
  const before = await register({ 'page.js': '1', 'other.js': '2' })
  expect(await register({ 'page.js': '1', 'other.js': '2' })).toBe(before)
  expect(await register({ 'page.js': '1', 'other.js': '3' })).not.toBe(before)
})
