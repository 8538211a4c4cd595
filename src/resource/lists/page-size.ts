/** The number of items on a page, in both APIs, as in the contract. */
export const PAGE_SIZE = { maximum: 100, default: 20 } as const
