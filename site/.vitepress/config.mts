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

/** In the menu are the API's own pages, where -Pdocs has made them. */
const api = existsSync(new URL('../../docs/target/api', import.meta.url))
  ? { text: 'API', items: [{ text: 'About', link: '/guides/api' }, { text: 'Java', link: '/api/java/index.html', target: '_blank' }, { text: 'Kotlin', link: '/api/kotlin/index.html', target: '_blank' }] }
  : { text: 'API', link: '/guides/api' }

/** The pages are docs/, as they are read in the repository; nothing in them is for this site only. */
export default defineConfig({
  title: 'Arbalest',
  description: 'Arrow columns from the JVM to native code and back, without a copy, on the device where the data already is.',
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
      { text: 'Reference', link: '/types', activeMatch: '^/(types|ownership|async|devices|threads|observability|native-access|compatibility|rules|interop|hardware|performance)' },
      { text: 'Decisions', link: '/decisions/', activeMatch: '^/decisions/' },
      api,
      { text: versions[0].name, items: versions.map(({ name, link }) => ({ text: name, link, activeMatch: '^no-page$' })) },
    ],
    sidebar,
  },
  buildEnd({ srcDir, outDir }) {
    cpSync(join(srcDir, 'guides/charts'), join(outDir, 'guides/charts'), { recursive: true }) // what is measured, to be looked at
  },
  transformPageData(page) {
    if (page.relativePath === 'types.md') page.frontmatter.aside = false // room for its tables
    if (page.relativePath !== 'index.md') return
    page.frontmatter.layout = 'home'
    page.frontmatter.hero = {
      name: 'Arbalest',
      text: 'Arrow columns between the JVM and native code',
      tagline: 'Without a copy, on the device where the data already is.',
      actions: [
        { theme: 'brand', text: 'Get started', link: '/guides/getting-started' },
        { theme: 'alt', text: 'Recipes by address', link: '/guides/streams-by-address' },
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
