import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type MarkdownIt from 'markdown-it'
import type { Token } from 'markdown-it/index.js'

const { repository } = JSON.parse(readFileSync(new URL('../versions.json', import.meta.url), 'utf8'))
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Links that are right in the repository are made right here: a folder's README is its index, and what lies outside of docs/ is in the repository, or
 * is text where versions.json names none. A file that is not there is an error.
 */
export function links(md: MarkdownIt) {
  md.core.ruler.push('links-of-the-repository', (state) => {
    for (const { children } of state.tokens) if (children) children.splice(0, children.length, ...rewritten(children, state.env))
  })
}

function rewritten(tokens: Token[], env: { path?: string; realPath?: string }): Token[] {
  let dropped = false
  return tokens.filter((token) => {
    if (token.type === 'link_close' && dropped) return (dropped = false)
    const href = token.type === 'link_open' ? token.attrGet('href')! : ''
    if (href === '' || /^([a-z]+:|#|\/)/.test(href)) return true
    const [path, anchor] = href.split('#')
    const source = env.realPath ?? env.path!
    const target = normalize(join(dirname(source.endsWith('index.md') ? source : source), path))
    if (!existsSync(target.replace(/index\.md$/, 'README.md')) && !existsSync(target)) throw new Error(`${source} links to ${path}, which is not there`)
    const inside = target.startsWith(join(root, 'docs/'))
    if (inside) token.attrSet('href', href.replace(/README\.md/, 'index.md'))
    else if (repository) token.attrSet('href', `${repository}/blob/main/${target.slice(root.length)}${anchor ? `#${anchor}` : ''}`)
    else dropped = true
    return inside || repository
  })
}
