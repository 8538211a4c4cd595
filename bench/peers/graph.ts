/** The measured part of our graph, for peers that take a schema and resolvers. */
import { connectPets, decodeCursor, encodeCursor, type NewPet, type PetFilter } from './pets.ts'

/** As clients send it. */
interface SentPet {
  name: string
  categoryId: string | number
  status?: NewPet['status']
}

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
  input PetFilter {
    status: [PetStatus!]
    categoryId: [Int64!]
  }
  input NewPet {
    name: String!
    categoryId: Int64!
    status: PetStatus
  }
  input PetChanges {
    name: String
    categoryId: Int64
    status: PetStatus
  }
  type Query {
    pet(id: ID!): Pet
    pets(first: Int = 20, after: String, filter: PetFilter): PetConnection!
  }
  type Mutation {
    createPet(input: NewPet!): Pet!
    updatePet(id: ID!, input: PetChanges!): Pet!
  }
`

// postgres.js returns digits, which is what the graph needs.
const pets = connectPets((digits) => digits)

export const resolvers = {
  Query: {
    pet: (_: unknown, { id }: { id: string }) => pets.find(id),
    pets: async (
      _: unknown,
      { first, after, filter }: { first: number; after?: string | null; filter?: PetFilter | null },
    ) => {
      const start = after == null ? undefined : decodeCursor(after)
      if (start === null) throw new Error('after must be a cursor that this service returned.')
      const page = filter ? await pets.filter(first, filter) : await pets.list(first, start)
      const last = page.pets.at(-1)
      return {
        nodes: page.pets,
        pageInfo: { hasNextPage: page.hasNext, endCursor: last ? encodeCursor(last.id) : null },
      }
    },
  },
  Mutation: {
    createPet: (_: unknown, { input: { name, categoryId, status = null } }: { input: SentPet }) =>
      pets.create({ name, categoryId: String(categoryId), status }),
    updatePet: (_: unknown, { id, input }: { id: string; input: Partial<NewPet> }) => pets.update(id, input),
  },
}
