/** The tools that frontend teams run on schema/schema.graphql: graphql-codegen with TypeScript, and the Relay compiler. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { copyDataDirectory } from '../support/database.ts'
import { createDirectory } from '../support/temporary.ts'
import { readSnippets } from '../support/guide.ts'
import { demoKeyOf, endPrograms, startProgram } from '../support/process.ts'

const root = join(import.meta.dirname, '../..')
const CLIENTS = 'examples/graphql-clients'

/** A copy of the example clients within the project, so that its files find what they import, but outside of what `npm pack` reads. */
let directory: string
beforeEach(() => {
  const copy = mkdtempDisposableSync(join(import.meta.dirname, '.generated-'))
  onTestFinished(() => copy.remove())
  directory = copy.path
  const clients = join(root, CLIENTS)
  cpSync(clients, directory, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  symlinkSync(join(clients, 'node_modules'), join(directory, 'node_modules'))
})

interface Run {
  code: number | string | null | undefined
  output: string
}

/** Runs a command installed by npm, using this Node. @param command with the folder of the package that it is installed for */
function run(cwd: string, command: string, ...args: string[]): Promise<Run> {
  const script = join(root, dirname(command), 'node_modules/.bin', basename(command))
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    )
  })
}

function write(name: string, content: string): string {
  const file = join(directory, name)
  writeFileSync(file, content)
  return file
}

describe('the packages besides the project', () => {
  type Packages = Partial<Record<'dependencies' | 'devDependencies', Record<string, string>>>
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Packages
  const listPackages = ({ dependencies, devDependencies }: Packages) => ({
    ...dependencies,
    ...devDependencies,
  })
  const folders = ['examples/frontend', CLIENTS, 'test/tools']

  it('have the same versions of what several of them use', () => {
    const lists = [...folders, ''].map((folder) => listPackages(read(join(folder, 'package.json'))))
    const all = Object.assign({}, ...lists) as Record<string, string>
    for (const list of lists) expect(all).toMatchObject(list)
  })

  it.each(folders)(
    'have a lock file that npm ci accepts, without the address of a registry: %s',
    (folder) => {
      const text = readFileSync(join(root, folder, 'package-lock.json'), 'utf8')
      const { packages } = JSON.parse(text) as { packages: Record<string, Packages> }
      expect(listPackages(packages[''] ?? {})).toEqual(listPackages(read(join(folder, 'package.json'))))
      expect(text).not.toContain('"resolved"')
    },
  )
})

describe('the example frontend', () => {
  it('subscribes like Apollo Client and urql', () => {
    const read = (folder: string) => readFileSync(join(root, 'examples', folder, 'live.ts'), 'utf8')
    expect(read('frontend/src')).toBe(read('graphql-clients'))
  })
})

const compile = (...files: string[]) =>
  run(
    root,
    'tsc',
    ...['--strict', '--noEmit', '--skipLibCheck', '--allowImportingTsExtensions'],
    ...['--target', 'esnext', '--module', 'nodenext', '--types', 'node'],
    ...files,
  )

describe('graphql-codegen', () => {
  it('generates types that compile in strict mode, with int64 as a string', async () => {
    const use = (categoryId: string, type: string) => `
      import { createApolloClient } from './apollo.ts'
      import { CreatePetDocument, PetsDocument } from './generated/graphql.ts'
      import { createUrqlClient } from './urql.ts'
      const options = { url: 'http://localhost/graphql', apiKey: 'key', onLive: () => undefined }
      const apollo = createApolloClient(options)
      const urql = createUrqlClient(options)
      const variables = { input: { name: 'Rex', categoryId: ${categoryId} } }
      await apollo.mutate({ mutation: CreatePetDocument, variables })
      await urql.mutation(CreatePetDocument, variables)
      const list = await apollo.query({ query: PetsDocument, variables: { first: 1 } })
      const other = await urql.query(PetsDocument, { first: 1 })
      export const read: (${type} | undefined)[] = [
        list.data?.pets.edges[0]?.node.categoryId,
        other.data?.pets.edges[0]?.node.categoryId,
      ]
    `
    const right = write('right.ts', use("'7'", 'string'))
    const wrong = write('wrong.ts', use('7', 'number'))
    const { output } = await compile(right, wrong)
    const errors = [...output.matchAll(/(right|wrong)\.ts\((\d+),\d+\): error/g)].map(([, file, line]) => [
      file,
      line,
    ])
    // The two mutations that send a number, and the two queries that read a result as a number.
    expect(errors, output).toEqual(['9', '10', '14', '15'].map((line) => ['wrong', line]))
    expect(output.match(/error TS/g)).toHaveLength(4)
  })
})

describe('the guide for frontend teams', () => {
  const snippets = readSnippets('docs/frontends.md')

  it('has code that compiles in strict mode as it stands, beside the examples', async () => {
    expect(snippets.length).toBeGreaterThan(2)
    const files = snippets.map((snippet, index) => write(`snippet-${index}.ts`, snippet))
    const { code, output } = await compile(...files)
    expect(code, output).toBe(0)
  })

  it('generates the types of the examples from what a server publishes', async () => {
    const data = createDirectory()
    onTestFinished(() => data.remove())
    onTestFinished(endPrograms)
    copyDataDirectory(join(data.path, 'data'))
    const program = startProgram({ DATA_DIR: join(data.path, 'data') })
    const url = await program.ready
    const [config = ''] = snippets.filter((snippet) => snippet.includes('CodegenConfig'))
    const own = config
      .replace('http://127.0.0.1:4000', url)
      .replace('src/generated', join(directory, 'output'))
      .replace('src/**/*.graphql', 'examples/graphql-clients/pets.graphql')
    process.env.PETSTORE_API_KEY = demoKeyOf(program)
    onTestFinished(() => {
      delete process.env.PETSTORE_API_KEY
    })
    const { code, output } = await run(root, 'graphql-codegen', '--config', write('codegen.ts', own))
    expect(code, output).toBe(0)
    const generated = readFileSync(join(directory, 'output/graphql.ts'), 'utf8')
    expect(generated).toBe(readFileSync(join(root, CLIENTS, 'generated/graphql.ts'), 'utf8'))
  })
})

describe('the Relay compiler', () => {
  const source = `
    graphql\`
      query PetListQuery($filter: PetFilter, $orderBy: PetOrder) {
        ...PetList_query @arguments(filter: $filter, orderBy: $orderBy)
      }
    \`
    graphql\`
      fragment PetList_query on Query
      @refetchable(queryName: "PetListPaginationQuery")
      @argumentDefinitions(
        count: { type: "Int", defaultValue: 20 }
        cursor: { type: "String" }
        filter: { type: "PetFilter" }
        orderBy: { type: "PetOrder" }
      ) {
        pets(first: $count, after: $cursor, filter: $filter, orderBy: $orderBy)
        @connection(key: "PetList_pets", filters: ["filter", "orderBy"]) {
          totalCount
          edges {
            node {
              ...PetList_pet
            }
          }
        }
      }
    \`
    graphql\`
      fragment PetList_pet on Pet @refetchable(queryName: "PetRefetchQuery") {
        id
        name
        categoryId
        status
      }
    \`
    graphql\`
      mutation PetListCreateMutation($input: NewPet!, $connections: [ID!]!) {
        createPet(input: $input) @appendNode(connections: $connections, edgeTypeName: "PetEdge") {
          ...PetList_pet
        }
      }
    \`
    graphql\`
      mutation PetListDeleteMutation($id: ID!, $connections: [ID!]!) {
        deletePet(id: $id) {
          id @deleteEdge(connections: $connections)
        }
      }
    \`
    graphql\`
      subscription PetListSubscription($filter: PetFilter) {
        petChanged(filter: $filter) {
          kind
          pet {
            ...PetList_pet
          }
        }
      }
    \`
  `

  it('accepts the connection of pets, its mutations, its subscription, and a pet to refetch', async () => {
    mkdirSync(join(directory, 'relay'))
    write('relay/PetList.ts', source)
    write(
      'relay/relay.config.json',
      JSON.stringify({
        src: '.',
        schema: relative(join(directory, 'relay'), join(root, 'schema/schema.graphql')),
        language: 'typescript',
        customScalarTypes: { Int64: 'string' },
      }),
    )
    const { code, output } = await run(join(directory, 'relay'), 'test/tools/relay-compiler', '--noWatchman')
    expect(code, output).toBe(0)
    expect(output).not.toMatch(/error|warn/i)
    const types = readFileSync(join(directory, 'relay/__generated__/PetList_pet.graphql.ts'), 'utf8')
    expect(types).toContain('readonly categoryId: string;')
    const refetch = readFileSync(join(directory, 'relay/__generated__/PetRefetchQuery.graphql.ts'), 'utf8')
    expect(refetch).toContain('node(id: $id)')
  })
})
