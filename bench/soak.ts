/** Our servers under a mixed load for a long time, with restarts: `test/histories/soak.ts`, on a database with durable settings. */
import { type SoakResult, soak } from '../test/histories/soak.ts'
import type { BenchPostgres } from './data.ts'
import { formatCount, formatGoal, formatTable, showProgress } from './report.ts'
import type { Settings } from './settings.ts'

/** How much the memory may grow after the first ten minutes. */
const GROWTH = 1.05
const SHOWN = 10

export async function measureSoak(postgres: BenchPostgres, { rows, minutes }: Settings): Promise<string> {
  const url = await postgres.createFilled(rows)
  const result = await soak({
    minutes,
    seed: 1,
    postgres: postgres.primary,
    url,
    onProgress: showProgress,
  })
  const { contradictions, lost, subscribers } = result
  for (const problem of [...contradictions, ...lost, ...subscribers.missed].slice(0, SHOWN))
    showProgress(problem)
  return `${formatWindows(result)}\n\n${formatSummary(result, minutes)}`
}

function formatWindows({ windows }: SoakResult): string {
  const header = [
    'minutes of 90',
    'requests',
    'unanswered',
    'p50',
    'p99.9',
    'memory',
    'of the replaced server',
    'open files',
    'connections in Postgres',
  ]
  const rows = windows.map(({ from, to, requests, unanswered, p50, p999, sample }) => [
    `${from} to ${to}`,
    formatCount(requests),
    formatCount(unanswered),
    `${p50.toFixed(1)} ms`,
    `${Math.round(p999)} ms`,
    ...(sample
      ? [
          ...sample.megabytes.map((megabytes) => `${Math.round(megabytes)} MB`),
          sample.files.join(' and '),
          String(sample.connections),
        ]
      : ['', '', '', '']),
  ])
  return formatTable(header, rows)
}

function formatSummary(result: SoakResult, minutes: number): string {
  const { memory, restarts, rotations, replacements, histories, subscribers } = result
  const growth = memory.late / memory.early
  return formatTable(
    [`in ${minutes} minutes`, 'measured', 'goal'],
    [
      ['restarts of Postgres', String(restarts), ''],
      ['rotations of a key', String(rotations), ''],
      ['replacements of one server of two', String(replacements), ''],
      [
        'memory of the other, from minute 10 of 90 to the end',
        `${Math.round(memory.early)} to ${Math.round(memory.late)} MB`,
        formatGoal(growth, '≤', GROWTH, ' ×'),
      ],
      ['histories that were checked', formatCount(histories), ''],
      [
        'answers that contradict each other',
        String(result.contradictions.length),
        formatGoal(result.contradictions.length, '≤', 0),
      ],
      [
        'histories whose acknowledged writes were lost later',
        String(result.lost.length),
        formatGoal(result.lost.length, '≤', 0),
      ],
      ['events delivered to 2,000 subscribers', formatCount(subscribers.delivered), ''],
      ['subscriptions that ended, and were made again', formatCount(subscribers.ends), ''],
      [
        'events that a subscription missed without an end',
        String(subscribers.missed.length),
        formatGoal(subscribers.missed.length, '≤', 0),
      ],
    ],
  )
}
