/** What stands in the sidebar, everywhere. */
export const sidebar = [
  {
    text: 'Guides',
    items: [
      { text: 'Getting started', link: '/guides/getting-started' },
      { text: 'Who releases what', link: '/guides/who-releases-what' },
      { text: 'Streams by address', link: '/guides/streams-by-address' },
      { text: 'Arrow Java', link: '/guides/arrow-java' },
      { text: 'Tensors', link: '/guides/tensors' },
      { text: 'Flow and lending', link: '/guides/flow' },
      { text: 'Async streams', link: '/guides/async' },
      { text: 'Devices', link: '/guides/devices' },
      { text: 'Writing a backend', link: '/adding-a-backend' },
      { text: 'Errors and troubleshooting', link: '/guides/errors' },
      { text: 'Performance, in charts', link: '/guides/performance' },
      { text: 'Glossary', link: '/guides/glossary' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'API', link: '/guides/api' },
      { text: 'Types', link: '/types' },
      { text: 'Ownership', link: '/ownership' },
      { text: 'The async device stream', link: '/async' },
      { text: 'Devices', link: '/devices' },
      { text: 'Threads', link: '/threads' },
      { text: 'Observability', link: '/observability' },
      { text: 'Native access', link: '/native-access' },
      { text: 'Beside Arrow Java', link: '/arrow-java' },
      { text: 'Compatibility', link: '/compatibility' },
      { text: 'Performance', link: '/performance' },
      { text: 'Rules', link: '/rules' },
    ],
  },
  {
    text: 'How it is made',
    collapsed: true,
    items: [
      { text: 'Architecture', link: '/architecture' },
      { text: 'Decisions', link: '/decisions/' },
      { text: 'Other engines', link: '/interop' },
      { text: 'Hardware', link: '/hardware' },
    ],
  },
]
