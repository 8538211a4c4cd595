/** What Scalar shows, corrected; test/tools/library-selectors.test.ts looks for the same in Scalar itself. */
import { expect, it, vi } from 'vitest'
import { loadScript } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/docs/scalar-repairs.js')

it('whatever Scalar shows later is repaired, too', async () => {
  const { keepRepaired } = (await loadScript('pages/assets/docs/scalar-repairs.js')) as Script
  document.body.innerHTML = '<div id="docs"></div>'
  keepRepaired()
  for (const id of ['first', 'second']) {
    document
      .getElementById('docs')
      ?.insertAdjacentHTML(
        'beforeend',
        `<button id="${id}" class="my-copy-button" aria-controls="nothing">bearerAuth</button>`,
      )
    const button = document.getElementById(id)
    await vi.waitFor(() => expect(button?.getAttribute('aria-label')).toBe('Copy'))
    expect([button?.hasAttribute('aria-controls'), button?.textContent]).toEqual([false, 'API key'])
  }
})
