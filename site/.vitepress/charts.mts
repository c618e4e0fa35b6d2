import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type MarkdownIt from 'markdown-it'

interface Bar { benchmark: string; label: string; group: string; params?: Record<string, string> }
interface Chart { file: string; unit: string; scale?: 'log'; bars: Bar[] }

/** A paragraph that is a link to a `….chart.json` becomes the chart: the bars that the file picks out of JMH's JSON, which lies beside it. */
export function charts(md: MarkdownIt) {
  md.core.ruler.push('charts', (state) => {
    const { tokens } = state
    for (let at = 1; at < tokens.length - 1; at++) {
      const [link, text, end, ...more] = tokens[at].children ?? []
      const source = link?.type === 'link_open' ? link.attrGet('href')! : ''
      if (!source.endsWith('.chart.json') || end?.type !== 'link_close' || more.length > 0) continue
      const file = join(dirname(state.env.realPath ?? state.env.path), source)
      const html = new state.Token('html_block', '', 0)
      html.content = `<Chart spec="${encodeURIComponent(JSON.stringify({ title: text.content, ...chart(file) }))}" />\n`
      tokens.splice(at - 1, 3, html)
    }
  })
}

/** What is drawn: the score of each bar, and the error that JMH tells. */
function chart(at: string) {
  const { file, unit, scale, bars }: Chart = JSON.parse(readFileSync(at, 'utf8'))
  const results: any[] = JSON.parse(readFileSync(join(dirname(at), file), 'utf8'))
  const values = bars.map(({ benchmark, label, group, params = {} }) => {
    const found = results.filter((result) =>
      result.benchmark.endsWith(`.${benchmark}`) && Object.entries(params).every(([key, value]) => result.params?.[key] === value))
    if (found.length !== 1) throw new Error(`${at}: ${benchmark} is in ${file} ${found.length} times`)
    const { score, scoreError } = found[0].primaryMetric
    return { label, group, score, low: Math.max(score - scoreError, 0), high: score + scoreError }
  })
  return { unit, scale, values }
}
