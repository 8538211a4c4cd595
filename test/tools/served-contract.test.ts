/** The contract as servers publish it, read by the linters that its users have. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ruleset, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { describe, expect, it } from 'vitest'
import { createFakeDatabase } from '../unit/support/database.ts'
import { deprecated } from '../unit/support/operations.ts'
import { listen } from '../support/app.ts'
import { useDirectory } from '../support/directory.ts'
import { ROOT } from '../support/process.ts'

const directory = useDirectory()

const spectral = new Spectral()
// The contract came without a contact.
spectral.setRuleset(new Ruleset({ extends: [oas], rules: { 'info-contact': 'off' } }))

describe.each<Record<string, string>>([
  {},
  { BASE_URL: 'https://pets.test/v1', STAGING_BASE_URL: 'https://staging.test/v1' },
  { REMOVED_OPERATIONS: deprecated },
  { REMOVED_OPERATIONS: deprecated, BASE_URL: 'https://pets.test/shop/v1' },
])('the contract of a server with %o', (env) => {
  const read = async () => {
    const { url } = await listen(createFakeDatabase(), { GRAPHIQL: 'true', ...env })
    return (await fetch(new URL('/v1/openapi.json', url))).text()
  }

  it('has no problem in Spectral', async () => {
    const problems = await spectral.run(await read())
    expect(problems.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([])
  })

  it('has no problem in Redocly', async () => {
    const file = join(directory, 'openapi.json')
    writeFileSync(file, await read())
    const program = join(import.meta.dirname, 'node_modules', '.bin', 'redocly')
    const args = ['lint', file, '--config', join(ROOT, 'redocly.yaml'), '--format', 'json']
    const { stdout } = await promisify(execFile)(program, args)
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
  })
})
