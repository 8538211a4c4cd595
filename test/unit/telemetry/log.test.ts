import { expect, it } from 'vitest'
import type { Observation } from '../../../src/base/observation.ts'
import { createLogReader } from '../../../src/telemetry/log.ts'

/** @returns the levels of the lines that a log has of what happens */
function levelsOf(observations: readonly Observation[]): string[] {
  const levels: string[] = []
  const add = (level: string) => () => void levels.push(level)
  observations.forEach(createLogReader({ info: add('info'), warn: add('warn'), error: add('error') }))
  return levels
}

it.each<[Observation, Observation]>([
  [
    { type: 'database lost', cause: 'ECONNREFUSED' },
    { type: 'database back', seconds: 1 },
  ],
  [
    { type: 'database impaired', problem: 'no trigger', advice: 'migrate' },
    { type: 'database repaired', problem: 'no trigger' },
  ],
  [
    { type: 'standby left out', standby: 'host:5432', reason: 'silent' },
    { type: 'standby used', standby: 'host:5432', wasLeftOut: true },
  ],
  [
    { type: 'keys lost', cause: '57P01' },
    { type: 'keys back', seconds: 1 },
  ],
])('who logs only warnings sees how a fault ends, too: %j, %j', (...observations) => {
  expect(levelsOf(observations)).toEqual(['warn', 'warn'])
})

it('a standby that is used from the start is no reason for a warning', () => {
  expect(levelsOf([{ type: 'standby used', standby: 'host:5432', wasLeftOut: false }])).toEqual(['info'])
})
