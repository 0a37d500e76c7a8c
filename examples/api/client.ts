import type { Services } from 'fastify-services'
import { authentication, type ClientAuthenticationOptions, createClient, rest } from 'fastify-services-client'
import { routes } from './services.js'

/** The application at an address, for a browser or for another program. */
export function connect(url: string, options: ClientAuthenticationOptions = {}) {
  return createClient<Services>({ routes }).configure(rest(url).fetch(fetch)).configure(authentication(options))
}
