/** The paths of this server; they are an interface. */
export const REST_PREFIX = '/v1'
export const GRAPHQL_PATH = '/graphql'
export const SDL_PATH = '/schema.graphql'
export const DOCS_PATH = '/docs'
