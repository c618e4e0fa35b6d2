import type MarkdownIt from 'markdown-it'

/** A fence of Mermaid becomes a picture. */
export function pictures(md: MarkdownIt) {
  const fence = md.renderer.rules.fence!
  md.renderer.rules.fence = (tokens, index, ...rest) =>
    tokens[index].info.trim() === 'mermaid'
      ? `<Picture source="${encodeURIComponent(tokens[index].content)}" />\n`
      : fence(tokens, index, ...rest)
}
