import { expect } from 'vitest'

/** Loads a page and every local file that it refers to. @returns the number of files */
export async function countFilesOf(address: string): Promise<number> {
  const page = await fetch(address, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(200)
  const files = (await page.text()).match(/(?<=")\.?\/(graphql\/graphiql|docs\/static)\/[^"]+/g) ?? []
  for (const file of files) {
    const response = await fetch(new URL(file, address))
    expect([response.status, file]).toEqual([200, file])
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0)
  }
  return files.length
}
