import { defineConfig } from 'vitepress'

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

function toText(token) {
  token.tag = 'span'
  token.attrs = null
}

export default defineConfig({
  title: 'fastify-services',
  description: 'Services over HTTP for Fastify: an object with methods becomes a REST resource',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '..',
  srcExclude: ['{bench,create,dist,fuzz,lib,scripts,soak,test,types}/**', '**/node_modules/**'],
  rewrites: { 'README.md': 'index.md', 'examples/:name/README.md': 'examples/:name/index.md' },
  markdown: {
    anchor: { slugify: toAnchor },
    config: linkInSite,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' }
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/' },
      { text: 'Login', link: '/docs/login' },
      { text: 'Client', link: '/docs/client' },
      { text: 'Feathers', link: '/docs/coming-from-feathers' }
    ],
    sidebar: [
      { text: 'Start', items: [{ text: 'What it is', link: '/' }] },
      {
        text: 'Write a service',
        items: [
          page('Services', 'services'),
          page('Hooks and events', 'hooks-and-events'),
          page('Custom methods', 'custom-methods'),
          page('Databases', 'databases'),
          page('Schemas and OpenAPI', 'schemas-and-openapi'),
          page('resource() in detail', 'resource'),
          page('OpenAPI in detail', 'openapi'),
          page('Type providers', 'type-providers'),
          page('The explorer', 'explorer')
        ]
      },
      {
        text: 'Answer requests',
        items: [
          page('HTTP', 'http'),
          page('Errors', 'errors'),
          page('Uploads and streams', 'uploads-and-streams'),
          page('Events and live lists', 'events')
        ]
      },
      {
        text: 'Log users in',
        items: [
          page('Tutorial', 'login'),
          page('Organisations', 'organisations'),
          page('Permissions', 'permissions'),
          page('Reference', 'login-reference'),
          page('Strategies', 'login-strategies'),
          page('Cookies', 'login-cookies'),
          page('With Better Auth', 'login-better-auth'),
          page('Passwords', 'login-passwords'),
          page('Security', 'login-security')
        ]
      },
      {
        text: 'Call services',
        items: [page('The client', 'client'), page('Adapters and details', 'client-adapters')]
      },
      {
        text: 'Test and run',
        items: [
          page('Testing and production', 'testing-and-production'),
          page('Limits, timeouts, shutdown', 'operation'),
          page('Benchmarks', 'benchmarks'),
          page('Troubleshooting', 'troubleshooting')
        ]
      },
      {
        text: 'Come from Feathers',
        items: [
          page('What differs', 'coming-from-feathers'),
          page('Mount an application', 'mounting-feathers'),
          page('Move an application', 'moving-from-feathers')
        ]
      },
      {
        text: 'Examples',
        items: [
          { text: 'Minimal', link: '/examples/minimal/' },
          { text: 'CommonJS', link: '/examples/commonjs/' },
          { text: 'Blog', link: '/examples/blog/' },
          { text: 'An API', link: '/examples/api/' },
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
