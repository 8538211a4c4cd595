/** `{{#name}}…{{/name}}`, without another section inside. */
const SECTION = /\{\{#([\w-]+)\}\}((?:(?!\{\{[#/])[^])*)\{\{\/\1\}\}/g
/** The beginning or the end of a section. */
const SECTION_TAG = /\{\{[#/][\w-]+\}\}/

/**
 * Fills in HTML, in Mustache's notation: `{{name}}` is the value, `{{#name}}…{{/name}}` is left out if that is empty or false.
 * @param values HTML by name
 * @throws Error if a name has no value, or a section is not whole or inside another
 */
export function renderTemplate(html: string, values: Record<string, string | boolean>): string {
  const shown = html.replaceAll(SECTION, (_, name: string, part: string) => {
    if (values[name] === undefined) throw new Error(`{{#${name}}} has no value.`)
    return values[name] ? part : ''
  })
  const [tag] = SECTION_TAG.exec(shown) ?? []
  if (tag !== undefined)
    throw new Error(`${tag} belongs to a section that is not whole, or has another inside.`)
  return shown.replaceAll(/\{\{([\w-]+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value !== 'string') throw new Error(`{{${name}}} has no value.`)
    return value
  })
}
