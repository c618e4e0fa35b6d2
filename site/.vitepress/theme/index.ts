import DefaultTheme from 'vitepress/theme'
import type { Theme } from 'vitepress'
import Chart from './Chart.vue'
import Picture from './Picture.vue'
import RuleIndex from './RuleIndex.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Chart', Chart).component('Picture', Picture).component('RuleIndex', RuleIndex)
  },
} satisfies Theme
