import { expect, it, vi } from 'vitest'
import { loadOnce } from '../../../src/pages/page-files.ts'

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
