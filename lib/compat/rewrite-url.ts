import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

const strategy = 'leadingSlash'

/**
 * Changes the URLs of requests before they are routed, so that guards of the application see the
 * changed URL alone. The option `rewriteUrl` of Fastify does so, but a plugin can't set it. So this
 * adds a constraint that no route has: the router asks for its value before it reads the URL. Seen
 * in Fastify 5.12.8 with find-my-way 9.
 *
 * @param isCandidate a cheap test of a URL. Only a URL that passes it is rewritten
 * @param rewrite returns the URL that the request gets
 */
export function rewriteUrls(
  root: FastifyInstance,
  isCandidate: RegExp,
  rewrite: (url: string, verb: string) => string
): void {
  if (root.hasConstraintStrategy(strategy)) return
  root.addConstraintStrategy({
    name: strategy,
    mustMatchWhenDerived: true,
    storage: () => new Map(),
    deriveConstraint(request) {
      const message = request as IncomingMessage
      const { url = '', method = '' } = message
      if (isCandidate.test(url)) message.url = rewrite(url, method)
      return undefined
    }
  })
}
