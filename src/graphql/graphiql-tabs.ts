/** What GraphiQL shows whoever comes for the first time. Each tab runs as it is. */

export interface Tab {
  query: string
  variables: string | null
}

// The editor shows some fifty characters of a line.
const QUERY = `# The animals that can be bought. To run this,
# click the pink button, or press Ctrl-Enter.
#
# Ctrl-Space: what may stand where the cursor is.
# On the upper left: the documentation.
# Below, under Headers: the API key.
query AvailablePets {
  pets(first: 10, filter: { status: [available] }) {
    nodes {
      id
      name
      categoryId
      status
    }
    # Counted only when it is asked for.
    totalCount
  }
}
`

const MUTATION = `# Two changes: the pink button asks which to run,
# Ctrl-Enter runs the one with the cursor in it.
# Their values are below, under Variables.
mutation AddPet($pet: NewPet!) {
  createPet(input: $pet) {
    id
    name
    status
  }
}

# What $changes leaves out stays as it is.
# To change the new animal, give $id the id
# that AddPet has answered.
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

const PAGES = `# All animals by name, five at a time. To go on,
# copy the endCursor of the answer into "after"
# (below, under Variables), and run it again,
# for as long as hasNextPage is true.
# To walk backwards: last instead of first, and
# before, with the startCursor.
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

const SUBSCRIPTION = `# What happens to the animals, as it happens.
# Run it, and add an animal in a second window.
# It ends with a click on the same button, or when
# you go to another tab.
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

export const SAMPLE_TABS: readonly Tab[] = [
  { query: QUERY, variables: null },
  { query: MUTATION, variables: JSON.stringify(MUTATION_VARIABLES, null, 2) },
  { query: PAGES, variables: JSON.stringify({ after: null }, null, 2) },
  { query: SUBSCRIPTION, variables: null },
]
