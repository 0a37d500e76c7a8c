import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

// The page loads nothing of other servers, and its script makes no HTML of texts: it could not.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join('; ')

const headers = {
  'content-security-policy': policy,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff'
}

const files = {
  'main.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'world.json': 'application/json; charset=utf-8'
}

// Of no use in the document of the services.
const schema = { hide: true }

// Beside the compiled file: `npm run build` makes them of the folder `page`.
const read = (name: string) => readFileSync(new URL(`page/${name}`, import.meta.url))

/** Serves the page: HTML at `/` to browsers, and the index as JSON to all others. */
export async function registerPage(app: FastifyInstance, index: object): Promise<void> {
  const html = read('index.html')
  app.get('/', { schema }, (_request, reply) =>
    reply.format({
      'application/json': () => index,
      'text/html': () => {
        reply.headers(headers)
        return html
      },
      default: () => index
    })
  )
  for (const [name, type] of Object.entries(files)) {
    const content = read(name)
    app.get(`/page/${name}`, { schema }, (_request, reply) => reply.headers(headers).type(type).send(content))
  }
}
