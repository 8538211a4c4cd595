/** Puts the filter of the list into the commands, in the places that pet-commands.ts marks. @param {string} status empty: all */
export function showFilterInCommands(status) {
  for (const place of document.querySelectorAll('[data-filter]')) {
    const text = place.getAttribute('data-filter') ?? ''
    place.textContent = status && text.replace('*', status)
  }
}
