/** @returns the events of a subscription by plain fetch; they end with the connection @throws Error if the server rejects it */
export async function* readEvents(url: string, apiKey: string, query: string): AsyncGenerator<unknown, void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query }),
  })
  if (!response.ok || !response.body) throw new Error(`The server answered ${response.status}.`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let buffered = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (buffered + read.value).split('\n\n')
      buffered = blocks.pop() ?? ''
      for (const block of blocks)
        if (block.startsWith('event: next\ndata: ')) yield JSON.parse(block.slice(18))
    }
  } finally {
    await reader.cancel()
  }
}
