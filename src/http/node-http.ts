/** What is used of node:http at run time: importing it as an ES module would also load undici, which would delay each start. */
export const { METHODS, STATUS_CODES, validateHeaderValue } = process.getBuiltinModule('node:http')
