/** How the program was started, for the commands that messages name: by npm in a checkout, or by the name that the package gives it. */
const isByNpm = process.env.npm_lifecycle_event === 'petstore'

/** What a command begins with, before its name: `${PROGRAM_NAME} keys list`. */
export const PROGRAM_NAME = isByNpm ? 'npm run petstore --' : 'petstore'

/** The same for a command whose stdout is used: npm writes to it, unless it is told not to. */
export const SILENT_PROGRAM_NAME = isByNpm ? 'npm run --silent petstore --' : 'petstore'

/** The command that serves. */
export const SERVE_COMMAND = isByNpm ? 'npm start' : 'petstore serve'
