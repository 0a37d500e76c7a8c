import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

// The page loads nothing from other servers, and its script can't create HTML from texts.
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

// Keeps a route out of the OpenAPI document.
const schema = { hide: true }

// `npm run build` creates these files, in the folder of the compiled file.
const read = (name: string) => readFileSync(new URL(`page/${name}`, import.meta.url))

/** Serves the page: at `/`, HTML for browsers and the index as JSON for others. */
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
