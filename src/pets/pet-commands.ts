/** The commands on the home page. What is between ‹ and ›, assets/filter-in-commands.js shows while the list has a filter. */
import type { Command } from '../pages/home-commands.ts'
import { PETS_PATH } from './rest.ts'

const JSON_BODY = `-H 'Content-Type: application/json'`

/** @param document without quotes, since it stands in JSON in a shell's quotes @param options of curl, before the body */
function graphql(document: string, ...options: string[]): Pick<Command, 'target' | 'options'> {
  return { target: 'graphql', options: [JSON_BODY, ...options, `-d '{"query": "${document}"}'`] }
}

export const PET_COMMANDS: readonly Command[] = [
  {
    name: 'List',
    title: 'REST: list three pets',
    target: 'rest',
    path: `${PETS_PATH}?limit=3‹&status=*›`,
  },
  {
    name: 'Create',
    title: 'REST: create a pet',
    changes: true,
    target: 'rest',
    path: PETS_PATH,
    options: [JSON_BODY, `-d '{"name": "Rocky", "categoryId": 1, "status": "available"}'`],
  },
  {
    name: 'Query',
    title: 'GraphQL: list three pets',
    ...graphql('{ pets(first: 3‹, filter: {status: [*]}›) { nodes { id name status } } }'),
  },
  {
    name: 'Sell',
    title: 'GraphQL: sell a pet',
    changes: true,
    ...graphql(
      'mutation { updatePet(id: 1, input: {status: sold}, expected: {status: available}) { name status } }',
    ),
  },
  {
    name: 'Events',
    title: 'GraphQL: follow the events',
    ...graphql(
      'subscription { petChanged { kind pet { id name status } } }',
      `-N -H 'Accept: text/event-stream'`,
    ),
  },
  { name: 'Schema', title: 'GraphQL: get the schema (SDL)', target: 'schema' },
]
