import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthenticationService, Mounted } from './mounted.js'

/** What `rest({ authentication })` of a Feathers application takes. */
export interface AuthenticationSettings {
  /** The path of its authentication service. Default: the one that the application names. */
  service?: string
  /** The strategies that read the headers of requests. Default: those of the settings of that service. */
  strategies?: readonly string[]
}

/** Makes the middleware that reads `params.authentication` from a request, as `parseAuthentication` of its REST transports does. */
export function credentialsReader(application: Mounted, settings: AuthenticationSettings) {
  let service: AuthenticationService | null | undefined
  return async function readCredentials(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // It asks all services for their settings.
    service ??= application.defaultAuthentication?.(settings.service)
    if (!service) return
    const { parseStrategies, authStrategies = [] } = service.configuration
    const strategies = settings.strategies ?? parseStrategies ?? authStrategies
    const authentication = await service.parse(request.raw, reply.raw, ...strategies)
    if (authentication) request.feathers.authentication = authentication
  }
}
