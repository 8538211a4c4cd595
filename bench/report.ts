/** Summarizes and formats the figures. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { CONTENDERS } from './contenders.ts'
import { LOAD_TOOL } from './load.ts'

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return (low + high) / 2
}

/** The median of the ratios within each round, so a machine that slows down from round to round does not distort it. */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? NaN)))
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** A goal, and whether a figure reaches it. */
export function formatGoal(value: number, relation: '≥' | '≤', goal: number, unit = ''): string {
  const isReached = relation === '≥' ? value >= goal : value <= goal
  return `${relation} ${goal}${unit}: ${isReached ? 'reached' : 'missed'}`
}

export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const format = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [format(header), rule, ...rows.map(format)].join('\n')
}

/** The versions and the hardware, but nothing that identifies the machine. */
export function describeSetting(postgresVersion: string): string {
  const names = new Set(Object.values(CONTENDERS).flatMap(({ packages }) => packages))
  const versions = [...names].map((name) => `${name} ${readVersion(name)}`)
  const processors = cpus()
  return [
    `${processors.length} cores (${processors[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB,`,
    `${process.platform}, Node ${process.versions.node}, PostgreSQL ${postgresVersion}, load by ${LOAD_TOOL};`,
    `${versions.join(', ')}; ${describeRun()}`,
  ].join(' ')
}

/** What was measured, and when. */
export function describeRun(): string {
  return `pet-store ${readOwnVersion()}, ${new Date().toISOString().slice(0, 10)}.`
}

/** The version, and the commit if this is a checkout. */
export function readOwnVersion(): string {
  const root = join(import.meta.dirname, '..')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return stdout ? `${version} (${stdout.trim()})` : version
}

function readVersion(name: string): string {
  const file = join(import.meta.dirname, 'node_modules', name, 'package.json')
  return /"version": *"([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? 'unknown'
}

/** Reports progress on stderr, since stdout is for the tables. */
export function showProgress(text: string): void {
  console.error(`  ${text}`)
}

const README = join(import.meta.dirname, 'README.md')

/** Where the README has the figures of a command; null: nowhere. */
export function findSection(name: string): { from: number; to: number } | null {
  const readme = readFileSync(README, 'utf8')
  const begin = `<!-- ${name} -->`
  const [from, to] = [readme.indexOf(begin), readme.indexOf(`<!-- /${name} -->`)]
  return from < 0 || to < 0 ? null : { from: from + begin.length, to }
}

/** Replaces a section of figures in the README. */
export function saveSection(name: string, text: string): void {
  const section = findSection(name)
  if (!section) throw new Error(`bench/README.md has no place for ${name}`)
  const readme = readFileSync(README, 'utf8')
  writeFileSync(README, `${readme.slice(0, section.from)}\n\n${text}\n\n${readme.slice(section.to)}`)
}
