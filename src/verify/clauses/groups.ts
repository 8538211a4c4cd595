import { authenticationClauses, precedenceClauses, scopeClauses } from './authentication.ts'
import type { Clause } from './clause.ts'
import { createPetClauses } from './create-pet.ts'
import { getPetClauses } from './get-pet.ts'
import { listPetsClauses } from './list-pets.ts'
import { pathClauses, publicClauses } from './paths.ts'

/** Every clause, shared by `petstore verify` and the tests. Creations come first, so that the others find pets. */
export const groups: readonly { subject: string; clauses: readonly Clause[] }[] = [
  { subject: 'createPet', clauses: createPetClauses },
  { subject: 'listPets', clauses: listPetsClauses },
  { subject: 'getPet', clauses: getPetClauses },
  { subject: 'authentication', clauses: authenticationClauses },
  { subject: 'scopes', clauses: scopeClauses },
  { subject: 'the precedence of errors', clauses: precedenceClauses },
  { subject: 'paths and methods', clauses: pathClauses },
  { subject: 'without a key', clauses: publicClauses },
]
