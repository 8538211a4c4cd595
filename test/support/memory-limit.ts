/** Memory limits as containers and systemd set them: control groups of Linux, which only root may make on most machines. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface MemoryGroup {
  /** A command that runs another one, given as its arguments, within the limit. */
  command: [string, ...string[]]
  /** Removes the group, which must be empty. */
  remove(): void
}

/** Where this machine keeps the groups, and what it calls the limit: version 2, or version 1. */
const VERSIONS = [
  { root: '/sys/fs/cgroup', marker: 'cgroup.controllers', limit: 'memory.max' },
  { root: '/sys/fs/cgroup/memory', marker: 'memory.limit_in_bytes', limit: 'memory.limit_in_bytes' },
]

/** @returns a group with a limit, or the reason why there can be none */
export function createMemoryGroup(bytes: number): MemoryGroup | string {
  const version = VERSIONS.find(({ root, marker }) => existsSync(join(root, marker)))
  if (!version) return 'this machine has no control groups for memory'
  const group = join(version.root, `pet-store-${randomUUID()}`)
  try {
    mkdirSync(group)
  } catch (error) {
    return `control groups cannot be made: ${String(error)}`
  }
  const remove = () => rmdirSync(group)
  const limit = join(group, version.limit)
  try {
    writeFileSync(limit, String(bytes))
    if (Number(readFileSync(limit, 'utf8')) > bytes) throw new Error('the limit was not taken')
  } catch (error) {
    remove()
    return `control groups cannot limit memory: ${String(error)}`
  }
  const enter = `echo $$ > '${join(group, 'cgroup.procs')}' && exec "$@"`
  return { command: ['sh', '-c', enter, 'sh'], remove }
}

/** The bytes that 1g, 1G and 1Gi stand for in the files of deploy. */
export function parseMemory(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)([MG])i?$/i.exec(text) ?? []
  const factor = { M: 2 ** 20, G: 2 ** 30 }[unit.toUpperCase()]
  if (factor === undefined) throw new Error(`not an amount of memory: ${text}`)
  return Number(digits) * factor
}

/** The peak memory of a process, in MB; null: this system does not report it. */
export function peakMemoryOf(pid: number): number | null {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return null
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(path, 'utf8')) ?? []
  return kilobytes === undefined ? null : Number(kilobytes) / 1024
}
