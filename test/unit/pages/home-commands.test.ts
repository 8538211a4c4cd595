import { expect, it } from 'vitest'
import { type Command, renderCommands } from '../../../src/pages/home-commands.ts'

const create = (command: Partial<Command>): Command => ({
  name: 'List',
  title: 'List',
  target: 'rest',
  ...command,
})

it('the texts of a command are plain, with a place for what depends on the filter', () => {
  const command = create({
    title: 'A & B',
    path: '/items?limit=3‹&status=*›',
    options: [`-d '{"a": 1‹, "b": "*"›}'`, '-N'],
  })
  const panels = renderCommands([command], '')
    .panels.map(({ text }) => text)
    .join('')
  expect(panels).toContain('<p>A &amp; B</p>')
  expect(panels).toContain(`/v1/items?limit=3<span data-filter="&amp;status=*"></span>'`)
  expect(panels).toContain(
    ` \\\n  -d '{&quot;a&quot;: 1<span data-filter=", &quot;b&quot;: &quot;*&quot;"></span>}' \\\n  -N</code>`,
  )
})

it.each([
  ['is not a word', ['List all']],
  ['is empty', ['']],
  ['has the id of another', ['List', 'Schema', 'list']],
])('a name that %s is an error', (_, names) => {
  const commands = names.map((name) => create({ name }))
  expect(() => renderCommands(commands, '')).toThrow(/command/)
})
