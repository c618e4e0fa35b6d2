const loaded = new Map<string, Promise<void>>()

/** Loads a library as its package ships it for browsers, once; bundling it anew would take longer than all else of the build. */
export function script(url: string): Promise<void> {
  const known = loaded.get(url)
  if (known) return known
  const loading = new Promise<void>((resolve, reject) => {
    const element = document.createElement('script')
    element.src = url
    element.onload = () => resolve()
    element.onerror = () => reject(new Error(`${url} could not be loaded`))
    document.head.append(element)
  })
  loaded.set(url, loading)
  return loading
}
