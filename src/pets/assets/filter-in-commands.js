import { allWith } from '../../pages/assets/shared/dom.js'

/** Puts the filter of the list into the commands, in the places that pet-commands.ts marks. @param {string} status empty: all */
export function showFilterInCommands(status) {
  for (const place of allWith('filter')) {
    const text = place.dataset.filter ?? ''
    place.textContent = status && text.replace('*', status)
  }
}
