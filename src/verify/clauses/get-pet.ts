import { isPet, isSamePet } from './checks.ts'
import { type Check, type Clause, type Inventory, listKnown, type Pet } from './clause.ts'

const announcement = { deprecation: '@1795132800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }
/** Relative, unless the server has a BASE_URL. */
const links =
  /^<(https?:\/\/[^<>]+)?\/v1\/pets>; rel="successor-version", <[^<>]*\/docs>; rel="deprecation"; type="text\/html", <[^<>]*\/docs>; rel="sunset"; type="text\/html"$/

const pathOf = (pet: Pet | undefined) => (pet ? `/v1/pets/${pet.id}` : null)
const first = (inventory: Inventory) => listKnown(inventory)[0]
const pathOfFirst = (inventory: Inventory) => pathOf(first(inventory))
const isThe = (pet: Pet | undefined): Check => (pet ? isSamePet(pet) : isPet)
const withoutStatus = (inventory: Inventory) =>
  listKnown(inventory).find(({ status }) => status === undefined)

// prettier-ignore
export const getPetClauses: Clause[] = [
  { id: 'GET-01', says: 'a pet is fetched by its id', path: pathOfFirst, status: 200, bodyOf: (inventory) => isThe(first(inventory)) },
  { id: 'GET-09', says: 'a created pet is fetched by its id', path: ({ created }) => pathOf(created.at(-1)), status: 200, bodyOf: ({ created }) => isThe(created.at(-1)) },
  { id: 'GET-02', isAddition: true, says: 'a pet without a status has no field status', path: (inventory) => pathOf(withoutStatus(inventory)), status: 200, bodyOf: (inventory) => isThe(withoutStatus(inventory)) },
  { id: 'GET-03', says: 'an unknown id is not found', path: '/v1/pets/8999999999999999999', status: 404, code: 'PET_NOT_FOUND' },
  ...['abc', '1.0', '1e0', '0x1', '%201', '+1', '01', '9223372036854775808', '-9223372036854775809', '1'.repeat(5000), '%F0%9F%90%B6', '%00', 'null', '1;x', '1%0A', '%E2%80%A8'].map(
    (id, index): Clause => ({ id: `GET-04.${index + 1}`, isAddition: true, says: `an id that is not an int64 is not found: ${id.slice(0, 20)}`, path: `/v1/pets/${id}`, status: 404, code: 'PET_NOT_FOUND' }),
  ),
  ...['0', '-1', '9223372036854775807', '-9223372036854775808'].map(
    (id, index): Clause => ({ id: `GET-05.${index + 1}`, says: `an int64 that is no pet's id is not found: ${id}`, path: (inventory) => listKnown(inventory).some((pet) => String(pet.id) === id) ? null : `/v1/pets/${id}`, status: 404, code: 'PET_NOT_FOUND' }),
  ),
  { id: 'GET-06', isAddition: true, says: 'a success announces the deprecation of getPet', path: pathOfFirst, status: 200, headers: { ...announcement, link: links } },
  { id: 'GET-07', isAddition: true, says: 'an error announces the deprecation of getPet', path: '/v1/pets/0', status: 404, headers: announcement },
  { id: 'GET-08', isAddition: true, says: 'HEAD is GET without the body', path: pathOfFirst, request: { method: 'HEAD' }, status: 200 },
]
