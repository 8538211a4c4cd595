/** What the server writes into the home page for the script of the list, which reads it by `readSettings` (src/pages/assets/dom.js). */
export interface PetListSettings {
  /** The number of pets that the list shows at most: those of the largest page. */
  largestPage: number
}
