/** How the program was started, for the commands that messages name: by npm in a checkout, or by the name that the image gives it. */
export const PROGRAM_NAME =
  process.env.npm_lifecycle_event === 'petstore' ? 'npm run petstore --' : 'petstore'
