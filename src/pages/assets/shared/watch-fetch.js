/**
 * Watches what the library of a page receives, since libraries send their requests themselves. A library may replace `fetch`, too: each
 * page loads our script before the library's (test/unit/pages/render-page.test.ts).
 */

/** The browser's own `fetch`, which is not watched: for our own requests. */
export const browserFetch = window.fetch.bind(window)

/**
 * Watches the `window.fetch` that there is: the browser's, or what a library has put in its place.
 * @param {(body: unknown) => void} onJson receives the body of each response of this server that is JSON and whole. Scalar may send to
 * another one of the contract's (STAGING_BASE_URL).
 */
export function watchJson(onJson) {
  const fetchOfLibrary = window.fetch.bind(window)
  window.fetch = async (...request) => {
    const response = await fetchOfLibrary(...request)
    if (isForThisServer(request[0]) && response.headers.get('content-type')?.includes('json'))
      void response
        .clone()
        .json()
        .then(onJson, () => undefined)
    return response
  }
}

/** @param {RequestInfo | URL} request */
function isForThisServer(request) {
  const address = request instanceof Request ? request.url : request
  return new URL(address, document.baseURI).origin === location.origin
}
