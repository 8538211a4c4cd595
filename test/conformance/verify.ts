#!/usr/bin/env node
/**
 * `petstore-verify BASE_URL [--write]`, in a checkout `npm run verify -- BASE_URL [--write]`: checks a running server, of any
 * implementation, against the contract, clause by clause. The API key comes from PETSTORE_API_KEY. Exit status: 1 if a clause of the
 * contract does not hold, or the server cannot be checked; 2 for wrong usage. Additions of this project are reported, but do not count.
 */
import { verify } from './verify-command.ts'

process.exitCode = await verify(process.argv.slice(2), process.env)
