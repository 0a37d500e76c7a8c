import { defineConfig } from 'vitepress'
import { writePlainPages } from './plain-pages.js'
import { search } from './search.js'
import { addTabs } from './tabs.js'

// The pages as they are, README.md first. DOCS_BASE is the path that the site is published at: DOCS_BASE=/fastify-services/ npm run docs
const page = (text, file) => ({ text, link: `/docs/${file}` })

/** Anchors as GitHub makes them: the pages are read there, too. */
const toAnchor = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

/** Links as they are on the site: a README is the first page of its folder, and source files are not there. */
function linkInSite(md) {
  md.core.ruler.push('link-in-site', ({ tokens }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) if (token.type === 'link_open') mend(token, children)
  })
}

function mend(token, tokens) {
  const link = token.attrGet('href')
  if (/^([a-z]+:|#)/.test(link)) return
  const [path, anchor] = link.split('#')
  if (/\.md$/.test(path))
    token.attrSet(
      'href',
      link.replace(/(^|\/)README\.md(?=#|$)/, (_, before) => `${before}index.md`)
    )
  else if (!/\.\w+$/.test(path) && anchor === undefined) token.attrSet('href', `${path.replace(/\/$/, '')}/index.md`)
  else
    for (const one of [token, tokens.find(({ type }, index) => type === 'link_close' && index > tokens.indexOf(token))])
      toText(one)
}

/** A cell of the head without words is no heading. */
function emptyHeadings(md) {
  md.core.ruler.push('empty-headings', ({ tokens }) => {
    tokens.forEach((token, index) => {
      if (token.type !== 'th_open' || tokens[index + 1].content !== '') return
      token.tag = 'td'
      tokens[index + 2].tag = 'td'
    })
  })
}

function toText(token) {
  token.tag = 'span'
  token.attrs = null
}

const sentence =
  'REST resources for Fastify, from the methods you write: validation, permissions, live lists, a typed client and OpenAPI'
const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0a6285"/><path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.5" stroke-linecap="round"/></svg>'

/** The README is the home page: what one gets stands before it. */
function transformPageData(page) {
  if (page.relativePath !== 'index.md') return
  Object.assign(page.frontmatter, {
    layout: 'home',
    titleTemplate: 'Services for Fastify',
    hero: {
      name: 'fastify-services',
      text: 'REST resources for Fastify, from the methods you write',
      tagline: 'Validation, permissions, live lists, a typed client and OpenAPI.',
      actions: [
        { theme: 'brand', text: 'Get started', link: '/docs/getting-started' },
        { theme: 'alt', text: 'The explorer', link: '/docs/openapi#the-explorer' },
        ...(repository ? [{ theme: 'alt', text: 'GitHub', link: repository }] : [])
      ]
    },
    features
  })
}

const features = [
  [
    'One schema',
    'It checks bodies and queries, hides fields, types both ends and documents the API.',
    '/docs/resource'
  ],
  ['Permissions', 'Who may call what, which records they see, which fields they may send.', '/docs/permissions'],
  ['Live lists', 'A list in the page that stays as the database has it, with the same permissions.', '/docs/events'],
  ['Databases', 'Drizzle, Kysely, Prisma, Knex, MongoDB, or any code of yours.', '/docs/databases'],
  ['A typed client', '7.5 kB for browsers and Node. It logs in, retries and keeps lists live.', '/docs/client'],
  ['Feathers 5', 'Services, hooks and clients work unchanged. Move one service at a time.', '/docs/from-feathers']
].map(([title, details, link]) => ({ title, details, link }))

// Where the site is, and where the code is: DOCS_URL=https://example.com/ npm run docs
const { DOCS_URL: site, DOCS_REPOSITORY: repository } = process.env

/** A card shows the explorer. Its picture needs a whole address. */
function transformHead({ assets }) {
  const picture = assets.find((asset) => /explorer\..*png$/.test(asset))
  if (!site || !picture) return []
  return [['meta', { property: 'og:image', content: new URL(picture, site).href }]]
}

export default defineConfig({
  title: 'fastify-services',
  description: sentence,
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(mark)}` }],
    ['meta', { name: 'theme-color', content: '#0a6285' }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:title', content: 'fastify-services' }],
    ['meta', { property: 'og:description', content: sentence }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }]
  ],
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '..',
  ignoreDeadLinks: 'localhostLinks',
  srcExclude: ['{bench,create,dist,fuzz,lib,scripts,soak,test,types}/**', '**/node_modules/**'],
  rewrites: { 'README.md': 'index.md', 'examples/:name/README.md': 'examples/:name/index.md' },
  transformPageData,
  transformHead,
  buildEnd: writePlainPages,
  markdown: {
    anchor: { slugify: toAnchor },
    config(md) {
      addTabs(md)
      linkInSite(md)
      emptyHeadings(md)
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' }
  },
  themeConfig: {
    logo: { src: `data:image/svg+xml,${encodeURIComponent(mark)}`, alt: '' },
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
    search,
    outline: [2, 3],
    ...(repository && {
      editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' }
    }),
    nav: [
      { text: 'Start', link: '/' },
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Login', link: '/docs/login' },
      { text: 'Client', link: '/docs/client' },
      { text: 'Comparison', link: '/docs/comparison' }
    ],
    sidebar: [
      {
        text: 'Guide',
        items: [
          { text: 'What it is', link: '/' },
          page('Getting started', 'getting-started'),
          page('Tutorial: an issue tracker', 'tutorial'),
          page('Services', 'services'),
          page('resource(): one schema', 'resource'),
          page('Hooks', 'hooks'),
          page('Errors and troubleshooting', 'errors'),
          page('Uploads and streams', 'uploads-and-streams')
        ]
      },
      {
        text: 'Data',
        items: [
          page('Databases', 'databases'),
          page('Related records', 'related-records'),
          page('Transactions', 'transactions'),
          page('Conditional writes and retries', 'writes')
        ]
      },
      {
        text: 'Login and permissions',
        items: [
          page('First steps', 'login'),
          page('Permissions', 'permissions'),
          page('Accounts', 'accounts'),
          page('Sessions and cookies', 'sessions'),
          page('Authentication reference', 'authentication')
        ]
      },
      {
        text: 'Client and live lists',
        items: [
          page('The client', 'client'),
          page('Live lists and events', 'events'),
          page('React, TanStack, Vue, Svelte', 'frameworks'),
          page('Agents (MCP)', 'agents')
        ]
      },
      {
        text: 'Production',
        items: [
          page('Production', 'production'),
          page('Testing', 'testing'),
          page('Scaling', 'scaling'),
          page('Performance', 'performance')
        ]
      },
      {
        text: 'From others',
        items: [
          page('Comparison', 'comparison'),
          page('From Express, NestJS, tRPC', 'coming-from'),
          page('From Feathers', 'from-feathers'),
          page('Mount a Feathers application', 'mounting-feathers')
        ]
      },
      {
        text: 'Reference',
        items: [
          page('HTTP', 'http'),
          page('OpenAPI and the explorer', 'openapi'),
          page('Supported versions', 'support')
        ]
      },
      {
        text: 'Examples',
        items: [
          { text: 'Minimal', link: '/examples/minimal/' },
          { text: 'CommonJS', link: '/examples/commonjs/' },
          { text: 'Blog', link: '/examples/blog/' },
          { text: 'An API', link: '/examples/api/' },
          { text: 'A page and an API', link: '/examples/fullstack/' },
          { text: 'Atlas', link: '/examples/atlas/' }
        ]
      },
      {
        text: 'The project',
        items: [
          { text: 'Security', link: '/SECURITY' },
          { text: 'Contributing', link: '/CONTRIBUTING' },
          { text: 'Changelog', link: '/CHANGELOG' }
        ]
      }
    ]
  }
})
