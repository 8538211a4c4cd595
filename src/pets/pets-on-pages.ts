/** What the pages show of pets: the list and the commands on the home page, and the first tabs of GraphiQL. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HomeContent } from '../pages/home-page.ts'
import type { GraphiqlSettings, Tab } from '../pages/settings.ts'
import { renderTemplate } from '../pages/template.ts'
import { PAGE_SIZE } from '../resource/lists/page-arguments.ts'
import { PET_COMMANDS } from './pet-commands.ts'
import { petStatus } from './pet-resource.ts'
import { PETS_PATH } from './rest.ts'

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')

/** Of the list, and of the form that asks for a key in its place. */
const TITLE = 'Pets'

const forEachStatus = (html: string) => petStatus.enumValues.map((status) => renderTemplate(html, { status }))

/** Reads what the home page shows. */
export const readPetsOnHomePage = (): HomeContent => ({
  items: 'pets',
  restPath: PETS_PATH,
  list: {
    title: TITLE,
    html: renderTemplate(read('html', 'pets.html'), {
      title: TITLE,
      'max-rows': String(PAGE_SIZE.maximum),
      'status-options': forEachStatus('<option>{{status}}</option>'),
      'status-choices': forEachStatus(
        '<label><input type="radio" name="status" value="{{status}}">{{status}}</label>',
      ),
    }),
  },
  commands: PET_COMMANDS,
})

/** Reads the tabs on the first visit to GraphiQL. Each runs unchanged. */
export const readPetSamples = (): GraphiqlSettings['samples'] => [
  readSample('available-pets'),
  readSample('add-and-change', {
    pet: { name: 'Waffles', categoryId: '1', status: 'available' },
    id: '3',
    changes: { status: 'sold' },
  }),
  readSample('pets-by-name', { after: null }),
  readSample('pet-changes'),
]

/** A sample in the folder samples; the editor shows about fifty characters per line. */
function readSample(name: string, variables?: object): Tab {
  return {
    query: read('samples', `${name}.graphql`),
    variables: variables ? JSON.stringify(variables, null, 2) : null,
  }
}
