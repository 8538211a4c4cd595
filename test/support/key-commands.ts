/** The commands for API keys, as processes. */
import { expect } from 'vitest'
import { run } from './process.ts'

export interface ListedKey {
  id: string
  name: string
  scope: string
  created: string
  expires: string | null
  lastUsed: string | null
}
export type CreatedKey = Pick<ListedKey, 'id' | 'name' | 'scope' | 'expires'> & { secret: string }

/** @returns the JSON printed by a command that must succeed */
export async function runJson(env: Record<string, string>, ...args: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await run(env, ...args, '--json')
  expect([status, stderr]).toEqual([0, expect.any(String)])
  return JSON.parse(stdout)
}

/** Runs `keys create`. */
export const createKey = async (env: Record<string, string>, ...args: string[]) =>
  (await runJson(env, 'keys', 'create', ...args)) as CreatedKey

/** Runs `keys list`. */
export const listKeys = async (env: Record<string, string>) =>
  (await runJson(env, 'keys', 'list')) as ListedKey[]

/** Milliseconds from now until a time; NaN if there is none. */
export const untilTime = (time: string | null | undefined) => (time ? Date.parse(time) - Date.now() : NaN)
