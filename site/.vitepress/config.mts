import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { charts } from './charts.mts'
import { links } from './links.mts'
import { pictures } from './pictures.mts'
import { rules } from './rules.mts'
import { sidebar } from './sidebar.mts'
import { tabs } from './tabs.mts'

const { versions } = JSON.parse(readFileSync(new URL('../versions.json', import.meta.url), 'utf8'))

const module = (path: string) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url))

/** The menu lists the API's own pages if -Pdocs has built them; without them, it links to how they are built. */
const api = existsSync(new URL('../../docs/target/api', import.meta.url))
  ? { text: 'API', items: [{ text: 'Java', link: '/api/java/index.html', target: '_blank' }, { text: 'Kotlin', link: '/api/kotlin/index.html', target: '_blank' }] }
  : { text: 'API', link: '/#the-api-and-the-site', activeMatch: '^no-page$' }

/** The pages are the files of docs/; they contain nothing for this site only. */
export default defineConfig({
  title: 'Arbalest',
  description: 'Exchange Arrow columns between JVM programs and native code, without a copy, on the device where the data is.',
  lang: 'en',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '../docs',
  srcExclude: ['target/**', 'src/**', 'packages.md'],
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  outDir: '../docs/target/site',
  cacheDir: './.vitepress/cache',
  lastUpdated: false,
  // The API is made by -Pdocs only.
  ignoreDeadLinks: [/^\/api\//],
  markdown: {
    theme: { light: 'github-light', dark: 'github-dark' },
    config(md) {
      md.use(tabs).use(pictures).use(charts).use(links).use(rules)
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guides', link: '/guides/getting-started', activeMatch: '^/guides/' },
      { text: 'Reference', link: '/types', activeMatch: '^/(types|ownership|errors|devices-reference|compatibility|native-access|rules|interop|hardware|benchmarks|glossary)' },
      { text: 'Decisions', link: '/decisions/', activeMatch: '^/decisions/' },
      api,
      { text: versions[0].name, items: versions.map(({ name, link }) => ({ text: name, link, activeMatch: '^no-page$' })) },
    ],
    sidebar,
  },
  buildEnd({ srcDir, outDir }) {
    cpSync(join(srcDir, 'guides/charts'), join(outDir, 'guides/charts'), { recursive: true }) // the measurements, for readers
  },
  transformPageData(page) {
    if (page.relativePath === 'types.md') page.frontmatter.aside = false // room for its tables
    if (page.relativePath !== 'index.md') return
    page.frontmatter.layout = 'home'
    page.frontmatter.hero = {
      name: 'Arbalest',
      text: 'Arrow columns between the JVM and native code',
      tagline: 'Without a copy, on the device where the data is.',
      actions: [
        { theme: 'brand', text: 'Get started', link: '/guides/getting-started' },
        { theme: 'alt', text: 'Share a stream', link: '/guides/sharing' },
      ],
    }
  },
  vite: {
    // The pages lie outside of the folder that has Vue.
    resolve: { alias: [{ find: /^vue$/, replacement: module('vue/dist/vue.runtime.esm-bundler.js') }, { find: 'vue/server-renderer', replacement: module('vue/server-renderer/index.mjs') }] },
    publicDir: new URL('../public', import.meta.url).pathname,
    build: { chunkSizeWarningLimit: 2000 },
  },
})
