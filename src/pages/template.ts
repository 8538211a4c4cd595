/** Templates of HTML. Their values are plain text, unless they are made of templates themselves. */

/** HTML, which a template takes as it is. */
export class Html {
  readonly text: string

  /** @param text may be in a page as it is: no part of it comes from outside */
  constructor(text: string) {
    this.text = text
  }
}

/** Plain text, or HTML. */
type Content = string | Html

/** What a name of a template stands for, or whether its section is shown; null: nothing, so its section is left out. */
export type TemplateValues = Record<string, Content | readonly Content[] | boolean | null>

/** `{{#name}}…{{/name}}`, without another section inside. */
const SECTION = /\{\{#([\w-]+)\}\}((?:(?!\{\{[#/])[^])*)\{\{\/\1\}\}/g
/** The beginning or the end of a section. */
const SECTION_TAG = /\{\{[#/][\w-]+\}\}/

/**
 * Fills in HTML, in Mustache's notation: `{{name}}` is the value, `{{#name}}…{{/name}}` is left out if the value is null, empty or false.
 * Where a value is plain text, its place is in an element, or in an attribute in double quotes.
 * @param values of this template, each of which has a place in it
 * @param shared values of several templates, which need not have one
 * @throws Error if a name has no value, or two; if a value has no place; if a section is not whole, or inside another
 */
export function renderTemplate(html: string, values: TemplateValues, shared: TemplateValues = {}): Html {
  for (const name of Object.keys(values)) {
    if (name in shared) throw new Error(`{{${name}}} has two values.`)
    if (!html.includes(`{{${name}}}`) && !html.includes(`{{#${name}}}`))
      throw new Error(`The value of {{${name}}} has no place.`)
  }
  const all = { ...shared, ...values }
  const shown = html.replaceAll(SECTION, (_, name: string, part: string) => {
    if (all[name] === undefined) throw new Error(`{{#${name}}} has no value.`)
    return all[name] ? part : ''
  })
  const [tag] = SECTION_TAG.exec(shown) ?? []
  if (tag !== undefined)
    throw new Error(`${tag} belongs to a section that is not whole, or has another inside.`)
  const filled = shown.replaceAll(/\{\{([\w-]+)\}\}/g, (_, name: string) => {
    const value = all[name]
    if (value === undefined || value === null || typeof value === 'boolean')
      throw new Error(`{{${name}}} has no value.`)
    return [value].flat().map(toHtml).join('')
  })
  return new Html(filled)
}

const toHtml = (content: Content) => (content instanceof Html ? content.text : escapeHtml(content))

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
