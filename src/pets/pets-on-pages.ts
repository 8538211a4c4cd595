/** What the pages show of pets: the list and the commands on the home page, and the first tabs of GraphiQL. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tab } from '../graphql/graphiql-page.ts'
import type { HomeContent } from '../pages/home-page.ts'
import { petStatus } from './table.ts'

const readHtml = (name: string) => readFileSync(join(import.meta.dirname, 'html', name), 'utf8')
const forEachStatus = (render: (status: string) => string) => petStatus.enumValues.map(render).join('')

export const petsOnHomePage: HomeContent = {
  list: readHtml('pets.html')
    .replace(
      '{{status-options}}',
      forEachStatus((status) => `<option>${status}</option>`),
    )
    .replace(
      '{{status-choices}}',
      forEachStatus(
        (status) => `<label><input type="radio" name="status" value="${status}">${status}</label>`,
      ),
    ),
  script: join(import.meta.dirname, 'assets', 'pets.js'),
  commands: readHtml('commands.html'),
}

// The editor shows about fifty characters per line.
const QUERY = `# The pets that are for sale. To run the query,
# click the green button or press Ctrl-Enter.
#
# Ctrl-Space completes what you type.
# The book opens the documentation.
query AvailablePets {
  pets(first: 10, filter: { status: [available] }) {
    nodes {
      id
      name
      categoryId
      status
    }
    # Counted only if you ask for it.
    totalCount
  }
}
`

const MUTATION = `# Two mutations: the green button asks which one
# to run, Ctrl-Enter runs the one at the cursor.
# Their values are below, under Variables.
mutation AddPet($pet: NewPet!) {
  createPet(input: $pet) {
    id
    name
    status
  }
}

# A field that $changes leaves out stays as it is.
# To change the new pet, set $id to the id in the
# answer of AddPet.
mutation ChangePet($id: ID!, $changes: PetChanges!) {
  updatePet(id: $id, input: $changes) {
    id
    name
    status
  }
}
`

const MUTATION_VARIABLES = {
  pet: { name: 'Waffles', categoryId: '1', status: 'available' },
  id: '3',
  changes: { status: 'sold' },
}

const PAGES = `# All pets by name, five at a time. While
# hasNextPage is true, copy endCursor from the
# answer to "after" (below, under Variables), and
# run the query again for the next page.
# To go backwards, use last instead of first, and
# before with startCursor.
query PetsByName($after: String) {
  pets(
    first: 5
    after: $after
    orderBy: { field: NAME, direction: ASC }
  ) {
    nodes {
      id
      name
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`

const SUBSCRIPTION = `# Events, as they happen. Run it, and create a
# pet in a second window. It ends when you click
# the same button again or go to another tab.
subscription PetChanges {
  petChanged {
    kind
    pet {
      id
      name
      status
    }
  }
}
`

/** The tabs on the first visit to GraphiQL. Each runs unchanged. */
export const SAMPLE_TABS: readonly Tab[] = [
  { query: QUERY, variables: null },
  { query: MUTATION, variables: JSON.stringify(MUTATION_VARIABLES, null, 2) },
  { query: PAGES, variables: JSON.stringify({ after: null }, null, 2) },
  { query: SUBSCRIPTION, variables: null },
]
