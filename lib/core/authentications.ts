import { instanceOf } from './hook-application.js'

export interface CredentialsReader {
  /** Reads the credentials of a request before a service is called, so that hooks find them in `params.authentication`. */
  readCredentials(request: unknown, reply: unknown): Promise<void>
}

/** An authentication service of an application, as the transport and helpers of Feathers use it. */
export interface Authentication extends CredentialsReader {
  /** The instance on which it was registered. */
  readonly app: unknown
  /** What `app.service(path)` returns for it. */
  readonly service: unknown
  readonly strategyNames: readonly string[]
  /** The hash of a password in the data of a call with these params: the password itself where it is a hash already. */
  hashPassword(password: string, params: object): Promise<string>
}

/** What to do about the guard of @feathersjs/authentication, which does not know the services of this package. */
export const guardAdvice = "Replace its import by: import { authenticate } from 'fastify-services/authentication'"

/** Under this name, all instances of an application share one list of its authentication services. */
export const authentications: unique symbol = Symbol('authentications')

/** An instance of the application, as far as its authentication services go. */
export interface WithAuthentications<A extends Authentication = Authentication> {
  [authentications]?: A[]
}

/**
 * The authentication service that is responsible for an instance: the only one of the application; or, of several, the first one
 * that was registered on this instance or on the nearest instance around it.
 */
export function authenticationFor<A extends Authentication>(instance: WithAuthentications<A>): A | undefined {
  const all = instance[authentications] ?? []
  if (all.length < 2) return all[0]
  for (let around = instanceOf(instance); around !== null; around = Object.getPrototypeOf(around)) {
    const nearest = all.find(({ app }) => app === around)
    if (nearest !== undefined) return nearest
  }
  return undefined
}

/** A reader of credentials that belongs to another framework. */
export interface ForeignReader extends CredentialsReader {
  /** Whether that framework has an authentication. */
  isThere(): boolean
}

/** Under this name, an instance and those inside it have the reader for applications without an authentication service of this package. */
export const foreignReader: unique symbol = Symbol('foreignReader')

/** An instance, as far as reading credentials goes. */
export interface WithForeignReader extends WithAuthentications {
  [foreignReader]?: ForeignReader | undefined
}

export const foreignReaderFor = (instance: WithForeignReader): ForeignReader | undefined =>
  instance[authentications]?.length ? undefined : instance[foreignReader]

/** The reader of credentials for requests to the services of an instance. */
export const readerFor = (instance: WithForeignReader): CredentialsReader | undefined =>
  authenticationFor(instance) ?? foreignReaderFor(instance)
