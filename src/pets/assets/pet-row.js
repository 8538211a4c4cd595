/** @typedef {import('../../generated/page-operations.ts').PetsQuery['pets']['nodes'][number]} ListedPet */

/**
 * The row of a pet: a cell for each column of the table's head in pets.html, in that order. A narrow window shows labels of cells in place of
 * the head.
 * @param {ListedPet} pet
 * @param {(() => Promise<void>) | null} sell what its button does; null: it has none
 */
export function createRow(pet, sell) {
  const { id, name, categoryId, status } = pet
  const row = document.createElement('tr')
  row.append(
    createCell('id', id, 'Id'),
    createHeader('name', createName(name, 'pet-name')),
    createCell('category', categoryId, 'Category'),
    createCell('status', createBadge(status)),
    createCell('sell', sell ? createSellButton(pet, sell) : ''),
  )
  return row
}

/**
 * A name in its own writing direction; the style sheet shortens a long one, which a tooltip shows in full.
 * @param {string} name
 * @param {string} className
 */
export const createName = (name, className) =>
  Object.assign(document.createElement('bdi'), { className, textContent: name, title: name })

/** @param {string} column @param {HTMLElement} content */
function createHeader(column, content) {
  const header = Object.assign(document.createElement('th'), { scope: 'row' })
  header.dataset.column = column
  header.append(content)
  return header
}

/** @param {string} column @param {string | HTMLElement} content @param {string} [label] by default, the content speaks for itself */
function createCell(column, content, label) {
  const cell = document.createElement('td')
  cell.dataset.column = column
  if (label) cell.dataset.label = label
  cell.append(content)
  return cell
}

/** @param {string | null} status */
function createBadge(status) {
  const className = `pet-status ${status ?? ''}`
  return Object.assign(document.createElement('span'), { className, textContent: status ?? 'not set' })
}

/**
 * @param {ListedPet} pet
 * @param {() => Promise<void>} sell
 */
function createSellButton(pet, sell) {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    // By which the focus finds it again in a row that is made again.
    id: `sell-${pet.id}`,
    className: 'site-button',
    textContent: 'Sell',
  })
  button.setAttribute('aria-label', `Sell ${pet.name}`)
  button.addEventListener('click', () => {
    // Not disabled: it would lose the focus.
    if (button.ariaDisabled) return
    button.ariaDisabled = 'true'
    void sell().finally(() => (button.ariaDisabled = null))
  })
  return button
}
