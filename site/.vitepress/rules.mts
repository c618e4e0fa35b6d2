import type MarkdownIt from 'markdown-it'
import type { Token } from 'markdown-it/index.js'

const ID = /\b(?:SCH|ARR|VAL|READ|BLD|EXT|STAT|OBJ|REQ|OWN|STR|DEV|ASY|MOD|KOT)-\d{2}\b/

/** A rule's id leads to the rule, from every page; in rules.md its row is where it leads to, and all of them stand above as an index. */
export function rules(md: MarkdownIt) {
  md.core.ruler.push('rules', (state) => {
    const defines = /(^|\/)rules\.md$/.test(state.env.relativePath ?? '')
    const seen: string[] = []
    let cells = 0
    for (const token of state.tokens) {
      if (token.type === 'tr_open') cells = 0
      if (token.type === 'td_open') cells++
      if (token.type !== 'inline' || !token.children) continue
      const id = defines && cells === 1 ? ID.exec(token.content)?.[0] : undefined
      if (id && token.content === id) seen.push(id)
      token.children = linked(token.children, state, id === token.content ? id : undefined)
    }
    const heading = state.tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h2')
    if (seen.length > 0) {
      const index = new state.Token('html_block', '', 0)
      index.content = `<RuleIndex ids="${seen.join(' ')}" />\n`
      state.tokens.splice(heading, 0, index)
    }
  })
}

/** The tokens with each id a link; the one that is defined here is an anchor as well. */
function linked(tokens: Token[], state: { Token: new (...of: any[]) => Token; env: any }, defined?: string): Token[] {
  let inLink = 0
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') inLink++
    if (token.type === 'link_close') inLink--
    if (inLink > 0 || token.type !== 'text' || !ID.test(token.content)) return [token]
    return token.content.split(new RegExp(`(${ID.source})`)).map((part) => {
      if (!ID.test(part)) {
        const text = new state.Token('text', '', 0)
        text.content = part
        return text
      }
      const link = new state.Token('html_inline', '', 0)
      const own = part === defined ? ` id="${part.toLowerCase()}"` : ''
      link.content = `<a class="rule"${own} href="${depth(state.env.relativePath)}rules.html#${part.toLowerCase()}">${part}</a>`
      return link
    })
  })
}

const depth = (path = '') => '../'.repeat(path.split('/').length - 1) || './'
