import type MarkdownIt from 'markdown-it'

/** A fence of Java and a fence of Kotlin that follow each other, with nothing in between, become tabs. */
export function tabs(md: MarkdownIt) {
  md.core.ruler.after('normalize', 'tabs', (state) => {
    state.src = state.src.replace(
      /^```(java|kotlin)\n([\s\S]*?)\n```\n\n```(java|kotlin)\n([\s\S]*?)\n```$/gm,
      (whole, first, a, second, b) =>
        first === second ? whole : `::: code-group\n\`\`\`${first} [${name(first)}]\n${a}\n\`\`\`\n\`\`\`${second} [${name(second)}]\n${b}\n\`\`\`\n:::`,
    )
  })
}

const name = (language: string) => (language === 'java' ? 'Java' : 'Kotlin')
