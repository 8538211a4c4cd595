/**
 * Watches what the library of a page receives, since libraries send their requests themselves. A library may replace `fetch`, too: each
 * page loads our script before the library's (test/unit/pages/render-page.test.ts).
 */

/** The browser's own `fetch`, which is not watched: for our own requests. */
export const browserFetch = window.fetch.bind(window)

/**
 * Watches the `window.fetch` that there is: the browser's, or what a library has put in its place.
 * @param {(body: unknown) => void} onJson receives the body of each response that is JSON and whole
 */
export function watchJson(onJson) {
  const fetchOfLibrary = window.fetch.bind(window)
  window.fetch = async (...request) => {
    const response = await fetchOfLibrary(...request)
    if (response.headers.get('content-type')?.includes('json'))
      void response
        .clone()
        .json()
        .then(onJson, () => undefined)
    return response
  }
}
