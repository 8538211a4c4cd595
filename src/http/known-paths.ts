/** The paths of this server, which are an interface. */
export const REST_PREFIX = '/v1'
export const CONTRACT_PATH = `${REST_PREFIX}/openapi.json`
export const GRAPHQL_PATH = '/graphql'
export const SDL_PATH = '/schema.graphql'
export const DOCS_PATH = '/docs'
export const HEALTH_PATH = '/healthz'
export const READINESS_PATH = '/readyz'
export const FAVICON_PATH = '/favicon.svg'
