import { defineConfig } from 'vitepress'

// The pages as they are, README.md first. DOCS_BASE is the path that the site is published at: DOCS_BASE=/fastify-services/ npm run docs
const page = (text, file) => ({ text, link: `/docs/${file}` })

/** Anchors as GitHub makes them: the pages are read there, too. */
const toAnchor = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

/** The README is the first page of the site. */
function linkToStart(md) {
  md.core.ruler.push('link-to-start', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === 'link_open' ? token.attrGet('href') : null
      if (link !== null) token.attrSet('href', link.replace(/(^|\/)README\.md(?=#|$)/, toStart))
    }
  })
}
const toStart = (_, before) => `${before}index.md`

export default defineConfig({
  title: 'fastify-services',
  description: 'Services over HTTP for Fastify: an object with methods becomes a REST resource',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '..',
  srcExclude: ['{bench,dist,fuzz,lib,scripts,soak,test,types}/**', '**/node_modules/**'],
  rewrites: { 'README.md': 'index.md', 'examples/:name/README.md': 'examples/:name/index.md' },
  markdown: { anchor: { slugify: toAnchor }, config: linkToStart },
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
          page('OpenAPI in detail', 'openapi'),
          page('Type providers', 'type-providers'),
          page('The explorer', 'explorer')
        ]
      },
      {
        text: 'Answer requests',
        items: [page('HTTP', 'http'), page('Errors', 'errors'), page('Uploads and streams', 'uploads-and-streams')]
      },
      {
        text: 'Log users in',
        items: [
          page('Tutorial', 'login'),
          page('Reference', 'login-reference'),
          page('Strategies', 'login-strategies'),
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
          page('Benchmarks', 'benchmarks')
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
        text: 'The project',
        items: [
          { text: 'The example', link: '/examples/atlas/' },
          { text: 'Security', link: '/SECURITY' },
          { text: 'Contributing', link: '/CONTRIBUTING' },
          { text: 'Changelog', link: '/CHANGELOG' }
        ]
      }
    ]
  }
})
