/**
 * For the commands on the home page: the server puts a configured address into them, the page the one that the browser knows.
 * @param {string} text
 * @returns {string} what stands for it in a shell's single quotes
 */
export const escapeQuotes = (text) => text.replaceAll(`'`, String.raw`'\''`)
