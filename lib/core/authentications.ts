import { type Authentication, type CredentialsReader, instanceOf, type MountedReader, pluginState } from './host.js'

/**
 * Advice about the guard of @feathersjs/authentication, which does not know the services of
 * this package.
 */
export const guardAdvice = "Replace its import by: import { authenticate } from 'fastify-services/authentication'"

/**
 * The authentication service that is responsible for an instance: the only one of the application;
 * or, of several, the first one that was registered on this instance or on the nearest instance
 * around it.
 */
export function authenticationFor(instance: object): Authentication | undefined {
  const all = pluginState(instance).authentications ?? []
  if (all.length < 2) return all[0]
  for (let around: object | null = instanceOf(instance); around !== null; around = Object.getPrototypeOf(around)) {
    const nearest = all.find(({ app }) => app === around)
    if (nearest !== undefined) return nearest
  }
  return undefined
}

function mountedReaderFor(instance: object): MountedReader | undefined {
  const { authentications, mountedReader } = pluginState(instance)
  return authentications?.length ? undefined : mountedReader
}

/** The reader of credentials for requests to the services of an instance. */
export const readerFor = (instance: object): CredentialsReader | undefined =>
  authenticationFor(instance) ?? mountedReaderFor(instance)
