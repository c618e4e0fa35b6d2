/** The pages that can be come to from the first, by the links in what is served: paths below the base. */
export async function pagesBelow(base) {
  const seen = new Set([''])
  for (const path of seen) {
    const answer = await fetch(base + path)
    if (!answer.ok) {
      seen.delete(path) // whoever links to it is told of when links are looked at
      continue
    }
    const html = await answer.text()
    for (const [, href] of html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)) {
      const url = new URL(href.replaceAll('&amp;', '&'), base + path)
      const below = url.href.startsWith(base) ? url.pathname.slice(new URL(base).pathname.length) : undefined
      if (below !== undefined && !below.startsWith('api/') && /(\.html|\/|^)$/.test(below)) seen.add(below.replace(/index\.html$/, ''))
    }
  }
  return [...seen]
}

/** What a page links to, and the places in it that can be linked to. */
export const linksOf = (page) => page.evaluate(() => ({
  hrefs: [...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href')),
  ids: [...document.querySelectorAll('[id]')].map((one) => one.id),
}))
