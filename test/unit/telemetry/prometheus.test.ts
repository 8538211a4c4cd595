import { expect, it } from 'vitest'
import { Registry } from '../../../src/telemetry/prometheus.ts'

it('a histogram counts, in each bucket, what is at most as large as its bound', () => {
  const registry = new Registry()
  const durations = registry.histogram('wait_seconds', 'Waits.', [0.5, 1])
  for (const seconds of [0.25, 0.5, 0.75, 4]) durations.record(seconds, 'a', () => ({ name: 'a' }))
  durations.record(1, 'b', () => ({ name: 'b' }))
  expect(registry.write()).toBe(`# HELP wait_seconds Waits.
# TYPE wait_seconds histogram
wait_seconds_bucket{name="a",le="0.5"} 2
wait_seconds_bucket{name="a",le="1"} 3
wait_seconds_bucket{name="a",le="+Inf"} 4
wait_seconds_sum{name="a"} 5.5
wait_seconds_count{name="a"} 4
wait_seconds_bucket{name="b",le="0.5"} 0
wait_seconds_bucket{name="b",le="1"} 1
wait_seconds_bucket{name="b",le="+Inf"} 1
wait_seconds_sum{name="b"} 1
wait_seconds_count{name="b"} 1
`)
})

it('a counter adds up by its key, and is there from its first zero', () => {
  const registry = new Registry()
  const errors = registry.counter('errors_total', 'Errors.')
  errors.add(0, 'a', () => ({ code: 'A' }))
  errors.add(0, 'b', () => ({ code: 'B' }))
  for (let time = 0; time < 2; time += 1) errors.add(1, 'b', () => ({ code: 'another' }))
  expect(registry.write()).toBe(`# HELP errors_total Errors.
# TYPE errors_total counter
errors_total{code="A"} 0
errors_total{code="B"} 2
`)
})

it('what is observed is read at each scrape', () => {
  const registry = new Registry()
  let open = 0
  registry.observe('open', 'Open.', () => (open += 1))
  registry.observe('used', 'Used.', () => [[{ host: 'a' }, open]])
  registry.write()
  expect(registry.write()).toBe(`# HELP open Open.
# TYPE open gauge
open 2
# HELP used Used.
# TYPE used gauge
used{host="a"} 2
`)
})

it('a label may have any value', () => {
  const registry = new Registry()
  registry.observe('g', 'G.', () => [[{ name: 'a"b\\c\nd} 1', status: 200 }, 1]])
  expect(registry.write().split('\n')[2]).toBe(String.raw`g{name="a\"b\\c\nd} 1",status="200"} 1`)
})
