import { builder } from './builder.ts'

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction of an order.',
  values: {
    ASC: { description: 'Ascending: the smallest first.' },
    DESC: { description: 'Descending: the largest first.' },
  },
})
