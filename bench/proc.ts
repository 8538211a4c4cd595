/** What processes take of the machine, from Linux's /proc. */
import { readFileSync } from 'node:fs'

/** Ticks per second in /proc, on every architecture. */
const TICKS = 100

/** Seconds of CPU time of a process, in user and system mode, with those of its children, running or ended. */
export function readCpuTime(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  const ticks = [pid, ...children].flatMap((each) => readTimes(each))
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS
}

/** utime, stime, cutime and cstime (proc(5)); none if the process has ended, which its parent counts. */
function readTimes(pid: number | string): number[] {
  return readStat(pid)?.slice(11, 15).map(Number) ?? []
}

/** @throws Error if the process has ended */
export function readParent(pid: number): number {
  const parent = readStat(pid)?.[1]
  if (parent === undefined) throw new Error(`there is no process ${pid}`)
  return Number(parent)
}

/** The fields after the name, which may contain spaces. */
function readStat(pid: number | string): string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return null
  }
}

/** Megabytes of RAM that a process has. */
export function readResidentMemory(pid: number): number {
  return Math.round(readKibibytes(`/proc/${pid}/status`, 'VmRSS') * 1_024e-6)
}

/** The most megabytes of RAM that a process has had. */
export function readPeakMemory(pid: number): number {
  return Math.round(readKibibytes(`/proc/${pid}/status`, 'VmHWM') * 1_024e-6)
}

/** Megabytes that a process shares with no other. */
export function readPrivateMemory(pid: number): number {
  const read = (name: string) => readKibibytes(`/proc/${pid}/smaps_rollup`, name)
  return (read('Private_Clean') + read('Private_Dirty')) * 1_024e-6
}

function readKibibytes(file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'))?.[1])
}
