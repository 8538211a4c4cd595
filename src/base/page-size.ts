/** The number of items on a page, in both APIs: the limits in the contract. */
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 20 } as const
