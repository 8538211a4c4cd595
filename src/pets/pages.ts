/** What the pages show of pets: the list and the commands on the home page, and the first tabs of GraphiQL. */
import { join } from 'node:path'
import type { Tab } from '../graphql/graphiql.ts'
import type { HomeContent } from '../pages/home.ts'
import { petStatus } from './table.ts'

const statuses = petStatus.enumValues
const choices = ['', ...statuses].map(
  (status) =>
    `<label><input type="radio" name="status" value="${status}"${status ? '' : ' checked'}>${status || 'all'}</label>`,
)
const options = statuses.map((status) => `<option>${status}</option>`)

export const petsOnHomePage: HomeContent = {
  list: `<section class="home-card" id="pets" aria-labelledby="pets-title" hidden>
<div class="home-title"><h2 id="pets-title" tabindex="-1">Pets</h2><p id="pet-event" class="site-muted" role="status"></p><p id="live" role="status">Not live</p></div>
<form id="new-pet" class="home-new" autocomplete="off">
<label>Name <input class="site-input" name="name" pattern=".*\\S.*" title="Not only spaces" required></label>
<label>Category <input class="site-input" name="categoryId" inputmode="numeric" pattern="-?[0-9]{1,19}" title="A whole number" required></label>
<label>Status <select class="site-input" name="status"><option value="">not set</option>${options.join('')}</select></label>
<button class="site-button site-primary">Create</button>
</form>
<p id="pet-problem" class="home-problem" role="alert"></p>
<form id="filter" class="home-filter"><fieldset><legend>Show</legend>${choices.join('')}</fieldset></form>
<table id="pet-table" hidden>
<thead><tr><th scope="col">Id</th><th scope="col">Name</th><th scope="col">Category</th><th scope="col">Status</th><td></td></tr></thead>
<tbody id="pet-rows"></tbody>
</table>
<p id="no-pets">Loading…</p>
<button type="button" class="site-button" id="more" hidden>Show more</button>
<p id="list-end" class="site-muted" tabindex="-1" hidden></p>
</section>`,
  script: join(import.meta.dirname, 'assets', 'pets.js'),
  rest: [
    { title: 'List three pets', path: '/pets?limit=3{rest-filter}' },
    {
      title: 'Create a pet',
      path: '/pets',
      body: '{"name": "Rocky", "categoryId": 1, "status": "available"}',
    },
  ],
  graphql: [
    { title: 'List three pets', query: '{ pets(first: 3{graphql-filter}) { nodes { id name status } } }' },
    {
      title: 'Sell a pet',
      query:
        'mutation { updatePet(id: 1, input: {status: sold}, expected: {status: available}) { name status } }',
    },
    {
      title: 'Follow the events',
      query: 'subscription { petChanged { kind pet { id name status } } }',
      isStream: true,
    },
  ],
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
