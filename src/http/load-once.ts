/** @returns a function that loads a value on its first call, and again only if that failed */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    if (loading) return loading
    loading = load()
    loading.catch(() => (loading = undefined))
    return loading
  }
}
