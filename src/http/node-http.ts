/** Constants of node:http. To import it as an ES module loads undici as well, which takes a tenth of a start. */
export const { METHODS, STATUS_CODES } = process.getBuiltinModule('node:http')
