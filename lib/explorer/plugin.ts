import type { FastifyInstance } from 'fastify'
import { checkExplorerOptions, type ExplorerOptions } from './options.js'
import { createPage } from './page.js'

// Of no use in the document that it shows.
const schema = { hide: true }

/**
 * Serves the explorer: a page that shows the services of an application, makes calls, and gives
 * them as `curl`, `fetch` and TypeScript. Who can open it sees the whole document: keep it from
 * production, or behind a guard.
 *
 * @throws when there is no document to show, or an option is not known
 * @example
 * await app.register(swagger, openapi({ info: { title: 'Blog', version: '1.0.0' } }))
 * await app.register(services)
 * if (process.env.NODE_ENV !== 'production') await app.register(explorer)
 */
export async function explorer(app: FastifyInstance, options: ExplorerOptions): Promise<void> {
  checkExplorerOptions(options)
  if (options.prefix === undefined) await app.register(routes, { ...options, prefix: '/explorer' })
  else await routes(app, options)
}

async function routes(app: FastifyInstance, options: ExplorerOptions): Promise<void> {
  const { html, headers } = createPage(options)
  app.get('/', { schema }, (_request, reply) => reply.headers(headers).send(html))
  if (options.document !== undefined) return
  const documented = app as FastifyInstance & { swagger?(): object }
  app.addHook('onReady', async () => {
    if (documented.swagger === undefined)
      throw new Error(
        'The explorer has no document to show: register @fastify/swagger with openapi() of fastify-services/openapi, or name the address of one in its option `document`'
      )
  })
  app.get('/document.json', { schema }, () => documented.swagger?.())
}
