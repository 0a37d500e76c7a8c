import type { Services } from 'fastify-services'
import { authentication, type ClientAuthenticationOptions, createClient, rest } from 'fastify-services-client'
import { ofIssues } from './services.js'

/** The application at an address, for a browser or for another program. */
export function connect(url: string, options: ClientAuthenticationOptions = {}) {
  const connection = rest(url).fetch(fetch)
  const app = createClient<Services>().configure(connection).configure(authentication(options))
  const issues = 'projects/:projectId/issues'
  app.use(issues, connection.service(issues), { routes: ofIssues })
  return app
}
