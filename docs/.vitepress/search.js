// The search of the site: all words must occur, titles count most, and each page is found by other people's words too.
import { internal } from './plain-pages.js'

/** Words that people type, and that the page itself says in another way. */
const otherWords = {
  'README.md': 'install introduction crud rest api framework backend',
  'docs/getting-started.md': 'install quickstart hello world first steps setup',
  'docs/services.md': 'pagination bulk batch cron custom endpoint action rpc controller repository crud',
  'docs/resource.md': 'standard schema validation validate zod typebox valibot arktype ajv json schema model dto',
  'docs/hooks.md': 'middleware interceptor plugin lifecycle before after around event emitter',
  'docs/errors.md': 'exception troubleshooting debug faq problem 400 404 500',
  'docs/uploads-and-streams.md': 'upload file download multipart s3 image csv ndjson streaming',
  'docs/databases.md':
    'drizzle kysely knex prisma mongodb mongoose typeorm sequelize sqlite postgres postgresql mysql mariadb sql orm migrations migrate join relations populate soft delete full text search pagination sort sorting filter count',
  'docs/related-records.md': 'populate join joins relation relations eager loading n+1 include expand embed nested',
  'docs/transactions.md': 'transaction rollback commit audit log jobs queue outbox cron background worker',
  'docs/writes.md':
    'etag if-match optimistic locking concurrency idempotency idempotent retry retries version lost update',
  'docs/login.md': 'authentication auth jwt token sign in log in user session oauth social google github',
  'docs/permissions.md':
    'permissions authorization authorize roles rbac acl abac multi-tenant tenant tenancy organisation row level security access control nested resources parent child foreign key',
  'docs/accounts.md': 'sign up register password reset forgot e-mail verification verify bcrypt argon2 scrypt hash 2fa',
  'docs/sessions.md':
    'cookie csrf xss logout log out refresh token revoke secret rotation session security brute force',
  'docs/authentication.md': 'api key strategy guard oauth openid sso better auth passport jwks claims options bearer',
  'docs/client.md': 'fetch axios sdk frontend typescript browser node react native superagent',
  'docs/events.md':
    'realtime real-time websocket websockets socket sse server-sent events subscribe subscription live push publish channels',
  'docs/frameworks.md': 'react vue svelte angular solid tanstack query swr hook useLive next nuxt',
  'docs/agents.md': 'mcp model context protocol ai llm claude cursor copilot chatgpt tools agent',
  'docs/production.md':
    'deploy deployment docker kubernetes rate limit rate limiting helmet health check shutdown timeout proxy nginx opentelemetry traces logging',
  'docs/testing.md': 'test tests unit integration mock inject vitest jest node:test tap',
  'docs/scaling.md': 'redis cluster several processes horizontal scale load balancer pm2 kubernetes replicas pubsub',
  'docs/performance.md': 'benchmark throughput latency fast speed caching cache memory pool',
  'docs/comparison.md': 'alternative versus vs pocketbase supabase firebase hono orpc nestjs platformatic feathers',
  'docs/coming-from.md': 'express nestjs trpc orpc ts-rest json-server migrate',
  'docs/from-feathers.md': 'feathersjs feathers 5 dove koa express migrate upgrade',
  'docs/mounting-feathers.md': 'feathersjs koa express legacy socket.io incremental migration',
  'docs/http.md':
    'cursor keyset pagination paging next page link header merge patch json patch rfc 7396 accept-patch cors url query string qs headers status code content negotiation prefix middleware redirect',
  'docs/openapi.md': 'swagger explorer admin ui panel dashboard documentation postman generated client codegen',
  'docs/support.md': 'versions roadmap node lts semver release compatibility',
  'SECURITY.md': 'vulnerability report cve disclosure'
}

/** Renders what the search reads of a page. All snippets of a page begin with the same lines: they are left out. */
function renderForSearch(source, env, md) {
  const html = md.render(source, env)
  if (internal.has(env.relativePath)) return ''
  const words = otherWords[env.relativePath.replace(/^index\.md$/, 'README.md')]
  return html
    .replace(/<h2 id="the-app-of-the-snippets"[\s\S]*$/, '')
    .replace('</h1>', (end) => `${end}<p>${words ?? ''}</p>`)
}

export const searchOptions = {
  combineWith: 'AND',
  prefix: true,
  // A short word that is nearly another one is usually another one.
  fuzzy: (term) => (term.length < 6 ? false : 0.2),
  boost: { title: 4, titles: 2, text: 1 },
  boostDocument: (id) => (id.startsWith('/docs/') ? 1 : 0.5)
}

export const search = {
  provider: 'local',
  options: { _render: renderForSearch, miniSearch: { searchOptions } }
}
