/** Clocks of processes that are wrong, by libfaketime (Debian: `faketime`). */
import { globSync, writeFileSync } from 'node:fs'

const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

export const hasFaketime = library !== undefined
if (!hasFaketime) console.warn('Servers with wrong clocks are not tested: faketime is missing.')

export interface FakeClock {
  /** For a process that has this clock. Its timers are right, as after a step of the system's clock. */
  env: Record<string, string>
  /** Sets how many seconds it is ahead of the right time, from now on. */
  setOffset(seconds: number): void
}

/** @param file where the offset is kept */
export function createFakeClock(file: string): FakeClock {
  const setOffset = (seconds: number) => {
    writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  }
  setOffset(0)
  return {
    env: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    setOffset,
  }
}
