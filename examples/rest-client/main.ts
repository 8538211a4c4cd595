/** Creates a pet whose category is beyond 2^53, and finds it in the list. Usage: see ../README.md. */
import process from 'node:process'
import { createPetClient } from './client.ts'

const { PETSTORE_API_KEY = '', PETSTORE_URL = 'http://127.0.0.1:4000/v1' } = process.env
const client = createPetClient(PETSTORE_URL, PETSTORE_API_KEY)

console.log('Created:', await client.createPet({ name: 'Nova', categoryId: 9_007_199_254_740_993n }))
const pets = await Array.fromAsync(client.listPets({ limit: '10' }))
console.log(`Listed ${pets.length} pets. The last:`, pets.at(-1))
