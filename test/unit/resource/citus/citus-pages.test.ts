import { expect, it } from 'vitest'
import { firstPage, loadCrates } from '../../../support/crates.ts'
import { CITUS_DIALECT, recordStatements } from '../../support/database.ts'

it('each page has a statement of its own, which is not prepared', async () => {
  const statements = await recordStatements(
    (requestData) => Promise.all([1, 2].map(() => loadCrates(requestData, firstPage))),
    { dialect: CITUS_DIALECT },
  )
  expect(statements.map(({ prepare }) => prepare)).toEqual([false, false])
})
