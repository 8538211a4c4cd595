/**
 * SOFA: a REST API derived from a GraphQL schema, with the contract's paths. Its integers are doubles, it returns `null` where the
 * contract omits the status, and it has no Link to the next page.
 */
import { createSchema } from 'graphql-yoga'
import { useSofa } from 'sofa-api'
import { serveHandler } from './peer.ts'
import { connectPets, decodeCursor } from './pets.ts'

const pets = connectPets(Number)

const schema = createSchema({
  typeDefs: /* GraphQL */ `
    scalar Int64
    enum PetStatus {
      available
      pending
      sold
    }
    type Pet {
      id: Int64!
      name: String!
      categoryId: Int64!
      status: PetStatus
    }
    type Query {
      pet(id: ID!): Pet
      pets(limit: Int = 20, status: PetStatus, after: String): [Pet!]!
    }
    type Mutation {
      createPet(name: String!, categoryId: Int64!, status: PetStatus): Pet!
    }
  `,
  resolvers: {
    Query: {
      pet: (_: unknown, { id }: { id: string }) => pets.find(id),
      pets: async (_: unknown, { limit, status, after }: ListArguments) => {
        const start = after == null ? undefined : decodeCursor(after)
        if (start === null) throw new Error('after must be a cursor that this service returned.')
        return (await pets.list(limit, start, status)).pets
      },
    },
    Mutation: {
      createPet: (_: unknown, { name, categoryId, status = null }: CreateArguments) =>
        pets.create({ name, categoryId: String(categoryId), status }),
    },
  },
})

interface ListArguments {
  limit: number
  status?: string | null
  after?: string | null
}

interface CreateArguments {
  name: string
  categoryId: number
  status?: string | null
}

const sofa = useSofa({
  basePath: '/v1',
  schema,
  routes: {
    'Query.pet': { method: 'GET', path: '/pets/:id' },
    'Query.pets': { method: 'GET', path: '/pets' },
    'Mutation.createPet': { method: 'POST', path: '/pets', responseStatus: 201 },
  },
})
serveHandler(async (request, response) => sofa(request, response))
