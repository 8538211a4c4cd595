import { expect, it } from 'vitest'
import { Html, renderTemplate, type TemplateValues } from '../../../src/pages/template.ts'

it.each<[string, TemplateValues, string]>([
  ['{{a}}{{b-c}}', { a: '1', 'b-c': '{{a}}' }, '1{{a}}'],
  ['{{#a}}[{{a}}{{b}}]{{/a}}', { a: 'x', b: '$&' }, '[x$&amp;]'],
  ['{{#a}}{{b}}{{/a}}{{#c}}{{b}}{{/c}}{{#d}}{{d}}{{/d}}', { a: '', c: false, d: null }, ''],
  ['{{#a}}1{{/a}}{{#b}}2{{/b}}', { a: true, b: false }, '1'],
  ['<a b="{{a}}">{{a}}</a>', { a: '"<&>' }, '<a b="&quot;&lt;&amp;&gt;">&quot;&lt;&amp;&gt;</a>'],
  ['{{a}}', { a: new Html('<b>&amp;</b>') }, '<b>&amp;</b>'],
  ['{{a}}', { a: ['<', new Html('<br>')] }, '&lt;<br>'],
  ['{ crates { id } } {{ a }}', {}, '{ crates { id } } {{ a }}'],
])('%s with %o is %s', (html, values, expected) => {
  expect(renderTemplate(html, {}, { ...values, other: '' }).text).toBe(expected)
})

it('a placeholder without a value is an error', () => {
  expect(() => renderTemplate('{{a}}', {}, { b: '1' })).toThrow('{{a}} has no value.')
  expect(() => renderTemplate('{{a}}', { a: null })).toThrow('{{a}} has no value.')
})

it('a value without a place, or for a name that has one already, is an error', () => {
  expect(() => renderTemplate('{{a}}', { a: '1', b: '2' })).toThrow('{{b}}')
  expect(() => renderTemplate('{{a}}', { a: '1' }, { a: '2' })).toThrow('{{a}}')
})

it.each([
  ['a section inside one', '{{#a}}{{#b}}x{{/b}}{{/a}}'],
  ['a section whose name is no value', '{{#aa}}x{{/aa}}'],
  ['a section that does not end', '{{#a}}x'],
  ['a section that does not begin', 'x{{/a}}'],
])('%s is an error', (_, html) => {
  expect(() => renderTemplate(html, {}, { a: true, b: true })).toThrow(/\{\{[#/]\w+\}\}/)
})
