/** How the program was started, for the commands that messages name: by npm in a checkout, or by the name that the package gives it. */

/** The scripts of package.json that start the program. */
const SCRIPTS = ['petstore', 'start', 'dev']

const { npm_lifecycle_event: script = '', npm_package_name: packageName } = process.env
// Another package that uses this one may have a script of the same name.
const isByNpm = packageName === 'pet-store' && SCRIPTS.includes(script)

/** What a command begins with, before its name: `${PROGRAM_NAME} keys list`. */
export const PROGRAM_NAME = isByNpm ? 'npm run petstore --' : 'petstore'

/** The same for a command whose stdout is used: npm writes to it, unless it is told not to. */
export const SILENT_PROGRAM_NAME = isByNpm ? 'npm run --silent petstore --' : 'petstore'

/** The command that serves. */
export const SERVE_COMMAND = isByNpm ? 'npm start' : 'petstore serve'
