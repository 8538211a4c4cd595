import { byId } from '../../pages/assets/dom.js'

/** Gives the commands beside the list its filter. @param {string} status empty: all */
export function showFilterInCommands(status) {
  byId('rest-filter', HTMLElement).textContent = status && `&status=${status}`
  byId('graphql-filter', HTMLElement).textContent = status && `, filter: {status: [${status}]}`
}
