/** What `npm run verify` does, in this process: starting one takes longer than all that it checks. */
import { vi } from 'vitest'
import { verify } from '../conformance/verify-command.ts'

/** @param key the value of PETSTORE_API_KEY @returns the exit status, and what is printed */
export async function verifyHere(key: string, ...args: string[]) {
  const stdout = vi.spyOn(console, 'log').mockReturnValue()
  const stderr = vi.spyOn(console, 'error').mockReturnValue()
  try {
    const status = await verify(args, { PETSTORE_API_KEY: key })
    const textOf = ({ mock }: typeof stdout) => mock.calls.map(([line]) => String(line)).join('\n')
    return { status, stdout: textOf(stdout), stderr: textOf(stderr) }
  } finally {
    stdout.mockRestore()
    stderr.mockRestore()
  }
}
