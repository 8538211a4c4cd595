/** The measured part of our graph, for peers that take a schema and resolvers. */
import { connectPets, decodeCursor, encodeCursor } from './pets.ts'

export const typeDefs = /* GraphQL */ `
  scalar Int64
  enum PetStatus {
    available
    pending
    sold
  }
  type Pet {
    id: ID!
    name: String!
    categoryId: Int64!
    status: PetStatus
  }
  type PageInfo {
    hasNextPage: Boolean!
    endCursor: String
  }
  type PetConnection {
    nodes: [Pet!]!
    pageInfo: PageInfo!
  }
  type Query {
    pet(id: ID!): Pet
    pets(first: Int = 20, after: String): PetConnection!
  }
`

// postgres.js returns digits, which is what the graph needs.
const pets = connectPets((digits) => digits)

export const resolvers = {
  Query: {
    pet: (_: unknown, { id }: { id: string }) => pets.find(id),
    pets: async (_: unknown, { first, after }: { first: number; after?: string | null }) => {
      const start = after == null ? undefined : decodeCursor(after)
      if (start === null) throw new Error('after must be a cursor that this service returned.')
      const page = await pets.list(first, start)
      const last = page.pets.at(-1)
      return {
        nodes: page.pets,
        pageInfo: { hasNextPage: page.hasNext, endCursor: last ? encodeCursor(last.id) : null },
      }
    },
  },
}
