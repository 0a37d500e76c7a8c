import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { createBlog } from '../../examples/blog/app.js'
import { openFolder } from '../examples/atlas-support.js'

/** The applications of the examples. They are closed when the test ends. */
export const examples: Readonly<Record<'blog' | 'atlas', (t: Test) => Promise<FastifyInstance>>> = {
  async blog(t) {
    const app = await createBlog('x'.repeat(64))
    t.teardown(() => app.close())
    return app
  },
  async atlas(t) {
    const app = await createApp(await openDatabase(await openFolder(t)), { rateLimit: 0 })
    t.teardown(() => app.close())
    return app
  }
}
