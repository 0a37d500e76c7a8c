import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { attempt } from '../core/errors.js'
import type { ForeignReader } from '../core/host.js'
import { callerIn } from '../core/http-call.js'
import { loginsOf, withoutNamesOfLogins } from '../core/logins.js'
import { shownText } from '../core/options.js'
import type { AuthenticationService, Mounted } from './mounted.js'

/** What `rest({ authentication })` of a Feathers application takes. */
export interface AuthenticationSettings {
  /** The path of its authentication service. Default: the one that the application names. */
  service?: string
  /**
   * The strategies that read the headers of requests. Default: those of the settings of that
   * service.
   */
  strategies?: readonly string[]
}

/**
 * Makes what reads `params.authentication` from a request, as `parseAuthentication` of its REST
 * transports does.
 */
export function credentialsReader(application: Mounted, settings: AuthenticationSettings) {
  let service: AuthenticationService | null | undefined
  const find = () => {
    // The application asks all services for their settings.
    service ??= application.defaultAuthentication?.(settings.service)
    return service
  }
  async function readCredentials(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const service = find()
    if (!service) return
    const { parseStrategies, authStrategies = [] } = service.configuration
    const strategies = settings.strategies ?? parseStrategies ?? authStrategies
    const authentication = await service.parse(request.raw, reply.raw, ...strategies)
    if (authentication) request.feathers.authentication = authentication
  }
  /** @throws when the service that the settings name is none that authenticates */
  function check(): void {
    const { service: path } = settings
    if (path === undefined || authenticates(attempt(find))) return
    const authenticating = Object.entries(application.services).filter(([, service]) => authenticates(service))
    throw new Error(
      `The option \`authentication.service\` of fastify-services/feathers must name an authentication service of the application, got ${shownText(path)}. There are: ${authenticating.map(([name]) => `'${name}'`).join(', ') || 'none'}`
    )
  }
  return { readCredentials, check, isThere: () => Boolean(find()) } as ForeignReader & {
    readonly readCredentials: typeof readCredentials
    readonly check: typeof check
  }
}

/** Whether it is a service that authenticates. */
export const authenticates = (service: unknown): boolean =>
  Boolean(Object(service).parse && Object(service).configuration)

/**
 * Takes out of the params of a call over HTTP what guards of other authentications have put there:
 * those of the application let in whoever is authenticated already. What its own strategies have
 * read from the request is there again.
 */
export function removeLogin(context: HookContext, application: Mounted): void {
  // Only what can be extended is told who calls.
  if (!Object.isExtensible(context.params)) context.params = { ...context.params }
  const request = callerIn(context.params)?.request as FastifyRequest
  context.params = withoutLogins(context.params, request, application)
}

/**
 * What hooks of Fastify have put on `request.feathers` for the params of a call, without what
 * guards of other authentications have.
 */
export const propertiesFor = (request: FastifyRequest, application: Mounted): Params => ({
  ...withoutLogins(request.feathers, request, application)
})

function withoutLogins(params: Params, request: FastifyRequest, application: Mounted): Params {
  const logins = loginsOf(request).filter(({ maker }) => maker !== application)
  if (logins.length === 0) return params
  const rest: Params = withoutNamesOfLogins(params, logins)
  const { authentication } = request.feathers
  const isRead = authentication !== undefined && logins.every(({ values }) => values.authentication !== authentication)
  return isRead ? Object.assign(rest, { authentication }) : rest
}
