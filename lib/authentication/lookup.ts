import type { FastifyInstance, FastifyRequest } from 'fastify'
import { joinPath } from '../core/path.js'
import { type Authentication, authenticationFor, ownPluginState, pluginState } from '../core/plugin-state.js'
import type { Credentials } from './credentials.js'

const missing = 'There is no authentication here: register the plugin fastify-services/authentication'

interface Registration extends Authentication {
  readonly path: string
  readonly credentials: Credentials
  readCredentials(request: FastifyRequest): Promise<void> | undefined
}

/** Registers an authentication service for all instances of its application. */
export function registerAuthentication(
  app: FastifyInstance,
  path: string,
  service: object | undefined,
  credentials: Credentials,
  hashPassword: Authentication['hashPassword']
): void {
  // The outermost instance with services: the others inherit the list from it.
  let top = app
  while (Object.getPrototypeOf(top)?.service !== undefined) top = Object.getPrototypeOf(top)
  const state = ownPluginState(top)
  state.authentications ??= []
  const registration: Registration = {
    app,
    path,
    service,
    credentials,
    strategyNames: credentials.authenticator.strategyNames,
    users: credentials.authenticator.entities,
    readCredentials: (request) => credentials.read(request),
    hashPassword
  }
  state.authentications.push(registration)
}

/**
 * Checks that no other authentication signs tokens that this one would accept: a user with the same
 * id may be somebody else there.
 * @throws when one does
 */
export function checkTokens(app: FastifyInstance, path: string, credentials: Credentials): void {
  const conflict = registrationsOf(app).find(
    (entry) => entry.credentials !== credentials && credentials.takesTokensOf(entry.credentials)
  )
  if (conflict !== undefined)
    throw new Error(
      `Tokens of the authentication service '${conflict.path}' would be good for '${path}' too, which has other users: give each a secret of its own, or another \`jwt.audience\``
    )
}

// Nobody else adds to the list.
const registrationsOf = (app: unknown) => (pluginState(app).authentications ?? []) as Registration[]
const nearestTo = (app: unknown) => authenticationFor(app as object) as Registration | undefined

export const isAuthentication = (app: unknown, service: unknown) =>
  service !== undefined && registrationsOf(app).some((entry) => entry.service === service)

/**
 * Returns an authentication of the application, for functions that all of them have in common: the
 * one that is responsible for the instance, or else the first one.
 * @throws when there is none
 */
export function anyAuthenticationOf(app: unknown): Credentials {
  const credentials = findAuthentication(app)
  if (credentials === undefined) throw new Error(missing)
  return credentials
}

/** The same, `undefined` if there is none. */
export const findAuthentication = (app: unknown): Credentials | undefined =>
  (nearestTo(app) ?? registrationsOf(app)[0])?.credentials

/**
 * Returns the authentication that is responsible for an instance, or the one at a path.
 * @param asker what needs it, for the error
 * @throws when there is none
 */
export function authenticationOf(app: unknown, path?: string, asker?: string): Credentials {
  try {
    return lookUp(app, path)
  } catch (cause) {
    throw asker === undefined ? cause : new Error(`${asker}: ${(cause as Error).message}`, { cause })
  }
}

function lookUp(app: unknown, path: string | undefined): Credentials {
  const instance = app as FastifyInstance
  if (path === undefined) {
    const entry = nearestTo(app)
    if (entry !== undefined) return entry.credentials
    throw new Error(
      registrationsOf(app).length > 0
        ? 'There are several authentication services, and none of them is for this instance: name one, as in authenticate({ service, strategies })'
        : missing
    )
  }
  if (!instance.hasDecorator('service')) throw new Error(missing)
  for (const name of [joinPath(instance.prefix, path), joinPath(path)]) {
    const entry = registrationsOf(app).find((candidate) => candidate.path === name)
    if (entry !== undefined) return entry.credentials
  }
  instance.service<unknown>(path)
  throw new Error(
    `The service '${path}' is no authentication service: name one that fastify-services/authentication has registered`
  )
}
