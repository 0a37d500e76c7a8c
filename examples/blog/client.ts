import { authentication, createClient, rest } from 'fastify-services/client'
import { type Blog, routes } from './services.js'

/** The blog at an address, for a browser or for another program. */
export function connect(url: string) {
  return createClient<Blog>({ routes }).configure(rest(url).fetch(fetch)).configure(authentication())
}
