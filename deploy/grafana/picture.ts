/**
 * Draws deploy/grafana/dashboard.json as an SVG from a running Prometheus, without Grafana: each panel's own queries, over the last
 * minutes. Usage: node deploy/grafana/picture.ts http://127.0.0.1:9090 5 > docs/pictures/dashboard.svg
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Panel {
  title: string
  gridPos: { x: number; y: number }
  fieldConfig: { defaults: { unit: string; max?: number; custom: { stacking: { mode: string } } } }
  targets: { expr: string; legendFormat: string }[]
}
interface Line {
  name: string
  points: [time: number, value: number][]
}

const [, , server = 'http://127.0.0.1:9090', minutes = '5'] = process.argv
const { panels } = JSON.parse(readFileSync(join(import.meta.dirname, 'dashboard.json'), 'utf8')) as {
  panels: Panel[]
}
const end = Math.floor(Date.now() / 1_000)
const start = end - Number(minutes) * 60
const STEP = Math.max(2, Math.round((end - start) / 90))
const [WIDTH, HEIGHT] = [400, 230]
/** The area of the lines in a panel. */
const plot = { left: 56, right: WIDTH - 12, top: 34, bottom: HEIGHT - 58 }
const COLORS = '#7eb26d #eab839 #6ed0e0 #ef843c #e24d42 #1f78c1 #ba43a9 #705da0 #508642'.split(' ')

const drawn = await Promise.all(panels.map(async (panel) => draw(panel, await query(panel))))
const rows = Math.ceil(panels.length / 3)
console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${3 * WIDTH} ${rows * HEIGHT}" font-family="sans-serif" font-size="11" fill="#ccc">
<rect width="100%" height="100%" fill="#111217"/>
${drawn.join('\n')}
</svg>`)

async function query({ targets }: Panel): Promise<Line[]> {
  const found = targets.map(async ({ expr, legendFormat }) => {
    const text = expr.replaceAll('$__rate_interval', '30s').replaceAll('$instance', '.*')
    const parameters = new URLSearchParams({ query: text, start: `${start}`, end: `${end}`, step: `${STEP}` })
    const response = await fetch(`${server}/api/v1/query_range?${parameters}`)
    const answer = (await response.json()) as {
      error?: string
      data: { result: { metric: Record<string, string>; values: [number, string][] }[] }
    }
    if (answer.error !== undefined) throw new Error(`${text}: ${answer.error}`)
    return answer.data.result.map(({ metric, values }) => ({
      name:
        legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '').trim() ||
        'other',
      points: values.map(([time, value]): [number, number] => [time, Number(value)]),
    }))
  })
  const lines = (await Promise.all(found)).flat()
  return lines.filter(({ points }) => points.some(([, value]) => Number.isFinite(value)))
}

function draw({ title, gridPos, fieldConfig }: Panel, lines: Line[]): string {
  const { unit, max, custom } = fieldConfig.defaults
  const shown = custom.stacking.mode === 'normal' ? stack(lines) : lines
  const highest = Math.max(...shown.flatMap(({ points }) => points.map(([, value]) => value || 0)), 0)
  const top = max ?? (highest * 1.1 || 1)
  const x = (time: number) => plot.left + ((time - start) / (end - start)) * (plot.right - plot.left)
  const y = (value: number) => plot.bottom - (value / top) * (plot.bottom - plot.top)
  const paths = shown.map(({ points }, index) => {
    const finite = points.filter(([, value]) => Number.isFinite(value))
    const path = finite.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
    return `<polyline points="${path}" fill="none" stroke="${colorOf(index)}" stroke-width="1.5"/>`
  })
  const grid = [0, 0.5, 1].map((share) => {
    const height = y(top * share).toFixed(1)
    return `<path d="M${plot.left} ${height}H${plot.right}" stroke="#333"/><text x="${plot.left - 4}" y="${height}" dy="4" text-anchor="end">${format(top * share, unit)}</text>`
  })
  return `<g transform="translate(${(gridPos.x / 8) * WIDTH} ${(gridPos.y / 8) * HEIGHT})">
<rect x="4" y="4" width="${WIDTH - 8}" height="${HEIGHT - 8}" rx="3" fill="#181b1f" stroke="#2c3235"/>
<text x="14" y="23" font-size="13" fill="#fff">${escape(title)}</text>
${[...grid, ...paths, ...legend(lines)].join('\n')}
</g>`
}

/** Each line on top of those before it. */
function stack(lines: Line[]): Line[] {
  const sums = new Map<number, number>()
  return lines.map(({ name, points }) => ({
    name,
    points: points.map(([time, value]): [number, number] => {
      const sum = (sums.get(time) ?? 0) + (Number.isFinite(value) ? value : 0)
      sums.set(time, sum)
      return [time, sum]
    }),
  }))
}

function legend(lines: Line[]): string[] {
  let [x, y] = [plot.left, plot.bottom + 18]
  return lines.flatMap(({ name }, index) => {
    const width = 24 + name.length * 6.5
    if (x + width > WIDTH - 8) [x, y] = [plot.left, y + 13]
    const position = x
    x += width
    if (y > HEIGHT - 8) return []
    return [
      `<rect x="${position}" y="${y - 5}" width="10" height="3" fill="${colorOf(index)}"/><text x="${position + 13}" y="${y}">${escape(name)}</text>`,
    ]
  })
}

function colorOf(index: number): string {
  return COLORS[index % COLORS.length] ?? '#fff'
}

function format(value: number, unit: string): string {
  if (unit === 's')
    return value < 1 ? `${Number((value * 1_000).toPrecision(3))} ms` : `${value.toFixed(1)} s`
  if (unit === 'bytes') return `${Math.round(value / 2 ** 20)} MB`
  if (unit === 'percentunit') return `${Math.round(value * 100)} %`
  return value >= 1_000 ? `${(value / 1_000).toFixed(1)} k` : `${Number(value.toPrecision(2))}`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
