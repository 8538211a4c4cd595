/** What an API key may do: `read` allows only reading, `write` everything. */
export const SCOPES = ['read', 'write'] as const
export type Scope = (typeof SCOPES)[number]
