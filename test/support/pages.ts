import { expect } from 'vitest'

/** Loads a page and every file that it refers to, which are sent compressed. @returns the number of files */
async function countFilesOf(address: string): Promise<number> {
  const page = await fetch(address, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(200)
  const files = (await page.text()).match(/(?<=")\.\/[^"]+\.(css|js|svg)(?=")/g) ?? []
  for (const file of files) {
    const response = await fetch(new URL(file, address))
    expect([response.status, response.headers.get('content-encoding'), file]).toEqual([200, 'gzip', file])
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0)
  }
  return files.length
}

/** The number of files of each page. */
export async function countFiles(url: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const path of ['/', '/docs', '/graphql']) counts[path] = await countFilesOf(`${url}${path}`)
  return counts
}
