import { authentication, createClient, rest } from 'fastify-services/client'
import { type Blog, ofPosts } from './services.js'

/** The blog at an address, for a browser or for another program. */
export function connect(url: string) {
  const connection = rest(url).fetch(fetch)
  const app = createClient<Blog>().configure(connection).configure(authentication())
  app.use('posts', connection.service('posts'), ofPosts)
  return app
}
