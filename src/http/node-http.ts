/** Constants from node:http. Importing it as an ES module would also load undici, which takes a tenth of the startup time. */
export const { METHODS, STATUS_CODES } = process.getBuiltinModule('node:http')
