/** The sidebar of every page. */
export const sidebar = [
  {
    text: 'Guides',
    items: [
      { text: 'Getting started', link: '/guides/getting-started' },
      { text: 'Sharing streams', link: '/guides/sharing' },
      { text: 'Columns', link: '/guides/columns' },
      { text: 'Changing batches', link: '/guides/changing' },
      { text: 'Flow', link: '/guides/flow' },
      { text: 'Async streams', link: '/guides/async' },
      { text: 'Devices', link: '/guides/devices' },
      { text: 'Databases', link: '/guides/databases' },
      { text: 'Files', link: '/guides/files' },
      { text: 'Arrow Java', link: '/guides/arrow-java' },
      { text: 'Spark', link: '/guides/spark' },
      { text: 'Tensors', link: '/guides/tensors' },
      { text: 'cuDF', link: '/guides/cudf' },
      { text: 'Backends', link: '/guides/backends' },
      { text: 'Leaks', link: '/guides/leaks' },
      { text: 'Performance', link: '/guides/performance' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Types', link: '/types' },
      { text: 'Ownership and threads', link: '/ownership' },
      { text: 'Errors', link: '/errors' },
      { text: 'Devices, reference', link: '/devices-reference' },
      { text: 'Compatibility', link: '/compatibility' },
      { text: 'Native access', link: '/native-access' },
      { text: 'Rules', link: '/rules' },
      { text: 'Interop', link: '/interop' },
      { text: 'Hardware', link: '/hardware' },
      { text: 'Benchmarks', link: '/benchmarks' },
      { text: 'Glossary', link: '/glossary' },
    ],
  },
  {
    text: 'Design',
    collapsed: true,
    items: [
      { text: 'Architecture', link: '/architecture' },
      { text: 'Lock-free code', link: '/threads' },
      { text: 'Decisions', link: '/decisions/' },
    ],
  },
]
