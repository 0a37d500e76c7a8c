import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authenticationFor } from '../core/authentications.js'
import { type Authentication, ownPluginState, pluginState } from '../core/host.js'
import { joinPath } from '../core/path.js'
import { isHashed } from './password.js'
import type { Credentials } from './verifier.js'

interface Registration extends Authentication {
  readonly path: string
  readonly credentials: Credentials
  readCredentials(request: FastifyRequest): Promise<void>
}

const nowhere = 'There is no authentication here: register the plugin fastify-services/authentication'

/** Makes an authentication service known to all instances of its application. */
export function registerAuthentication(
  app: FastifyInstance,
  path: string,
  service: object | undefined,
  credentials: Credentials
): void {
  // The outermost instance that has services: the others inherit the list from it.
  let top = app
  while (Object.getPrototypeOf(top)?.service !== undefined) top = Object.getPrototypeOf(top)
  const facts = ownPluginState(top)
  facts.authentications ??= []
  const { passwords, strategyNames } = credentials.authenticator
  const registration: Registration = {
    app,
    path,
    service,
    credentials,
    strategyNames,
    readCredentials: (request) => credentials.read(request),
    hashPassword: async (password, params) => (isHashed in params ? password : passwords.hash(password))
  }
  facts.authentications.push(registration)
}

/**
 * Tokens of one authentication must not be good for another, whose user with that id is somebody
 * else.
 * @throws when those of another one would be good for this one
 */
export function checkTokens(app: FastifyInstance, path: string, credentials: Credentials): void {
  const other = allIn(app).find(
    (entry) => entry.credentials !== credentials && credentials.takesTokensOf(entry.credentials)
  )
  if (other !== undefined)
    throw new Error(
      `Tokens of the authentication service '${other.path}' would be good for '${path}' too, which has other users: give each a secret of its own, or another \`jwt.audience\``
    )
}

// Nobody else adds to the list.
const allIn = (app: unknown) => (pluginState(app).authentications ?? []) as Registration[]
const nearestTo = (app: unknown) => authenticationFor(app as object) as Registration | undefined

/** Whether a registered service is an authentication service. */
export const isAuthentication = (app: unknown, service: unknown) =>
  service !== undefined && allIn(app).some((entry) => entry.service === service)

/**
 * An authentication service of the application, for what all of them do in the same way: the one
 * that is responsible for the instance, or else the first one.
 * @throws when there is none
 */
export function anyAuthenticationOf(app: unknown): Credentials {
  const credentials = findAuthentication(app)
  if (credentials === undefined) throw new Error(nowhere)
  return credentials
}

/** The same; `undefined` where there is none. */
export const findAuthentication = (app: unknown): Credentials | undefined =>
  (nearestTo(app) ?? allIn(app)[0])?.credentials

/**
 * The authentication service that is responsible for an instance, or the one at a path.
 * @throws when there is none
 */
export function authenticationOf(app: unknown, path?: string): Credentials {
  const instance = app as FastifyInstance
  if (path === undefined) {
    const entry = nearestTo(app)
    if (entry !== undefined) return entry.credentials
    throw new Error(
      allIn(app).length > 0
        ? 'There are several authentication services, and none of them is for this instance: name one, as in authenticate({ service, strategies })'
        : nowhere
    )
  }
  if (!instance.hasDecorator('service')) throw new Error(nowhere)
  for (const name of [joinPath(instance.prefix, path), joinPath(path)]) {
    const entry = allIn(app).find((candidate) => candidate.path === name)
    if (entry !== undefined) return entry.credentials
  }
  instance.service<unknown>(path)
  throw new Error(
    `The service '${path}' is no authentication service: name one that fastify-services/authentication has registered`
  )
}
