/**
 * Watches what the library of a page receives, since it sends its requests itself. A library may replace `fetch`, too: each page loads its
 * own script first (test/unit/pages/page.test.ts).
 */

/** The browser's own `fetch`, which is not watched: for our own requests. */
export const browserFetch = window.fetch.bind(window)

/**
 * Replaces `window.fetch`.
 * @param {(body: unknown) => void} onJson receives the body of each response that is JSON; of none that is cut off
 */
export function watchJson(onJson) {
  window.fetch = async (...request) => {
    const response = await browserFetch(...request)
    if (response.headers.get('content-type')?.includes('json'))
      void response
        .clone()
        .json()
        .then(onJson, () => undefined)
    return response
  }
}
