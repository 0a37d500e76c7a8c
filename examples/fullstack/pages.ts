import { resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Serves what `npm run build` has made of the folder `page`. All other URLs stay those of the services. */
export async function servePage(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: resolve('dist/page'),
    wildcard: false,
    cacheControl: false,
    setHeaders(response, path) {
      // The names of these files change with what they hold.
      const isHashed = /[\\/]assets[\\/]/.test(path)
      response.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    }
  })
}
