// Looks at the built site as a reader does, in the Chromium that is named. Prints a line for each problem, `check: problem`, and one when a check is over.
//   node test/browser.mjs URL CHROMIUM FOLDER     FOLDER gets the screenshots
import { mkdirSync, writeSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { linksOf, pagesBelow } from './crawl.mjs'

const [base, executablePath, folder] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
const GUIDE = 'guides/getting-started.html'

const checks = {
  /** Every page, wide and narrow: it loads without an error, everything in it is drawn, nothing sticks out, and all its links lead somewhere. */
  async pages() {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
    const problems = []
    const links = []
    const anchors = new Map()
    const waiting = await pagesBelow(base)
    if (waiting.length < 40) problems.push(`only ${waiting.length} pages were found from ${base}`)
    const count = waiting.length
    await Promise.all([1, 2, 3].map(async () => {
      const page = await context.newPage()
      let at = ''
      page.on('pageerror', (error) => problems.push(`${at}: ${error.message}`))
      page.on('console', (message) => { if (message.type() === 'error') problems.push(`${at}: ${message.text()}`) })
      page.on('response', (response) => { if (response.status() >= 400) problems.push(`${at}: ${response.url()} is ${response.status()}`) })
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        at = path
        await page.setViewportSize({ width: 1400, height: 900 })
        await open(page, path)
        problems.push(...(await undrawn(page)).map((what) => `${at}: ${what}`))
        for (const width of [1400, 400]) {
          await page.setViewportSize({ width, height: 900 })
          await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
          const sticking = await overflow(page)
          if (sticking) problems.push(`${at} at ${width}: ${sticking}`)
        }
        const found = await linksOf(page)
        anchors.set(path, new Set(found.ids))
        links.push(...found.hrefs.map((href) => ({ from: path, href })))
      }
      await page.close()
    }))
    problems.push(...(await broken(links, anchors)))
    await context.close()
    return { problems, seen: `, ${count} pages, ${links.length} links` }
  },

  /** The search finds what is in a text and in a snippet. */
  async search() {
    const problems = []
    const page = await desktop()
    for (const [word, wanted] of [['exportStream', '/guides/sharing.html'], ['generational handle', '/glossary.html'], ['OWN-06', '/rules.html']]) {
      await open(page, '')
      await page.keyboard.press('Control+k')
      await page.locator('.VPLocalSearchBox input').fill(word)
      const results = page.locator('.VPLocalSearchBox a.result')
      await results.and(page.locator(`[href*="${wanted}"]`)).first().waitFor({ timeout: 10_000 }).catch(() => {})
      const found = await results.evaluateAll((all) => all.map((one) => one.getAttribute('href')))
      if (!found.some((href) => href.includes(wanted))) problems.push(`${word}: ${wanted} is not among ${JSON.stringify(found)}`)
      if (word === 'exportStream') await page.screenshot({ path: `${folder}/search.png` })
      await page.keyboard.press('Escape')
    }
    await page.context().close()
    return { problems }
  },

  /** The button of a snippet copies what is shown, and the tab of the other language is another snippet. */
  async copy() {
    const problems = []
    const page = await desktop({ permissions: ['clipboard-read', 'clipboard-write'] })
    await open(page, 'guides/databases.html') // its program is there in both languages, as tabs
    const group = page.locator('.vp-code-group', { hasText: 'Kotlin' }).first()
    const copied = {}
    for (const language of ['Java', 'Kotlin']) {
      await group.locator('label', { hasText: language }).click()
      const block = group.locator('.blocks > .active')
      await block.hover()
      await block.locator('button.copy').click()
      await page.waitForFunction(() => document.querySelector('.blocks > .active button.copied'))
      copied[language] = await page.evaluate(() => navigator.clipboard.readText())
      const shown = await block.locator('pre code').innerText()
      if (copied[language].trim() !== shown.trim() || shown.trim() === '') problems.push(`${language}: ${copied[language]} is not ${shown}`)
    }
    if (copied.Java === copied.Kotlin) problems.push('both tabs have the same code')
    await page.context().close()
    return { problems }
  },

  /** Dark is dark, pictures and charts too, and stays so on the next page. */
  async dark() {
    const problems = []
    const page = await desktop()
    await open(page, 'ownership.html')
    const before = await brightness(page)
    await page.locator('.VPNavBar .VPSwitchAppearance').first().click()
    await page.waitForFunction(() => document.documentElement.classList.contains('dark'))
    await open(page, 'guides/performance.html')
    await page.locator('.chart svg').first().waitFor()
    const after = await brightness(page)
    if (before < 200 || after > 80) problems.push(`the background's brightness is ${before}, and in the dark ${after}`)
    const labels = await page.locator('.chart svg text').first().evaluate((text) => getComputedStyle(text).fill)
    if (luminance(labels) < 128) problems.push(`a chart's labels are ${labels} in the dark`)
    await page.screenshot({ path: `${folder}/dark.png` })
    await page.context().close()
    return { problems }
  },

  /** The version that is shown is in the menu. */
  async versions() {
    const page = await desktop()
    await open(page, '')
    const names = await page.locator('.VPNavBarMenuGroup').allInnerTexts()
    await page.context().close()
    return { problems: names.some((name) => /^\d/.test(name)) ? [] : [`menus: ${names}`], seen: `, ${names}` }
  },

  /** Pages to be looked at by people. */
  async screenshots() {
    for (const width of [400, 1400]) {
      const page = await desktop({ viewport: { width, height: 1000 } })
      for (const [name, path] of [['home', ''], ['started', GUIDE], ['ownership', 'ownership.html'], ['charts', 'guides/performance.html'], ['types', 'types.html'], ['rules', 'rules.html'], ['async', 'guides/async.html']]) {
        await open(page, path)
        await undrawn(page)
        await page.screenshot({ path: `${folder}/${name}-${width}.png` })
      }
      await page.context().close()
    }
    return { problems: [] }
  },
}

async function desktop(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options })
  context.setDefaultTimeout(15_000)
  return context.newPage()
}

async function open(page, path) {
  await page.goto(base + path, { waitUntil: 'load' })
  await page.waitForFunction(() => document.querySelector('#app')?.__vue_app__) // hydrated
}

/** Pictures and charts that did not become drawings. */
async function undrawn(page) {
  const missing = []
  for (const [what, drawing] of [['.picture', '.picture svg'], ['.chart', '.chart svg']]) {
    const wanted = await page.locator(what).count()
    for (let one = 0; one < wanted; one++) {
      await page.locator(what).nth(one).locator('svg').first().waitFor({ timeout: 20_000 }).catch(() => missing.push(`${what} ${one} was not drawn`))
    }
    if (wanted > 0 && (await page.locator(`${drawing} text, ${drawing} foreignObject`).count()) === 0) missing.push(`${what} has no text`)
  }
  const cut = await page.locator('.picture foreignObject > *').evaluateAll((all) => all.filter((one) => one.scrollHeight > one.parentElement.height.baseVal.value + 1).map((one) => one.textContent))
  return [...missing, ...cut.map((text) => `a picture cuts off "${text}"`)]
}

/** The first element that is wider than the window, unless what it is in scrolls. */
function overflow(page) {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return null
    const widest = [...document.querySelectorAll('.VPContent *')].find((one) => one.getBoundingClientRect().right > clientWidth + 1)
    return `${scrollWidth} pixels, by ${widest?.tagName} ${widest?.className} ${widest?.textContent?.slice(0, 60)}`
  })
}

const brightness = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor).then(luminance)

function luminance(colour) {
  const [r, g, b] = colour.match(/[\d.]+/g).map(Number)
  return Math.round(0.2126 * r + 0.7152 * g + 0.0722 * b)
}

/** Links that lead to no page, or to no place in it. What is outside is not asked; the API is, if it was built. */
async function broken(links, anchors) {
  const api = (await fetch(`${base}api/`)).ok
  const answers = new Map()
  const problems = []
  for (const { from, href } of links) {
    const url = new URL(href, base + from)
    if (url.origin !== new URL(base).origin) continue
    const path = url.pathname.slice(new URL(base).pathname.length)
    if (path.startsWith('api/') && !api) continue
    const page = anchors.get(path.replace(/index\.html$/, ''))
    if (page === undefined) {
      if (!answers.has(path)) answers.set(path, (await fetch(url)).status)
      if (answers.get(path) !== 200) problems.push(`${from} links to ${href}: ${answers.get(path)}`)
    } else if (url.hash && !page.has(decodeURIComponent(url.hash.slice(1)))) {
      problems.push(`${from} links to ${href}, which has no such place`)
    }
  }
  return [...new Set(problems)]
}

try {
  for (const [check, look] of Object.entries(checks)) {
    const started = Date.now()
    const { problems, seen = '' } = await look().catch((error) => ({ problems: [error.stack] }))
    for (const problem of problems) writeSync(1, `${check}: ${problem.replaceAll('\n', ' ')}\n`)
    writeSync(1, `${check} is over after ${Date.now() - started} ms: ${problems.length} problems${seen}\n`)
  }
} finally {
  await browser.close()
}
