import { expect, it } from 'vitest'
import { renderTemplate } from '../../../src/pages/template.ts'

it.each([
  ['{{a}}{{b-c}}', { a: '1', 'b-c': '{{a}}' }, '1{{a}}'],
  ['{{#a}}[{{a}}{{b}}]{{/a}}', { a: 'x', b: '$&' }, '[x$&]'],
  ['{{#a}}{{b}}{{/a}}{{#c}}{{b}}{{/c}}', { a: '', c: false }, ''],
  ['{{#a}}1{{/a}}{{#b}}2{{/b}}', { a: true, b: false }, '1'],
  ['{ crates { id } } {{ a }}', {}, '{ crates { id } } {{ a }}'],
])('%s with %o is %s', (html, values, expected) => {
  expect(renderTemplate(html, values)).toBe(expected)
})

it('a placeholder without a value is an error', () => {
  expect(() => renderTemplate('{{a}}', { b: '1' })).toThrow('{{a}} has no value.')
})

it.each([
  ['a section inside one', '{{#a}}{{#b}}x{{/b}}{{/a}}'],
  ['a section whose name is no value', '{{#aa}}x{{/aa}}'],
  ['a section that does not end', '{{#a}}x'],
  ['a section that does not begin', 'x{{/a}}'],
])('%s is an error', (_, html) => {
  expect(() => renderTemplate(html, { a: true, b: true })).toThrow(/\{\{[#/]\w+\}\}/)
})
