/** Where things live on this server; these paths are an interface. */
export const REST_PREFIX = '/v1'
export const GRAPHQL_PATH = '/graphql'
export const DOCS_PATH = '/docs'
