import { asList, entriesOf, propertyOf, textOf } from './json.js'
import type { Field } from './schema.js'
import type { ExploredService } from './services.js'

/** A way to log in. */
export interface LoginForm {
  /** The path of the authentication service. */
  readonly path: string
  readonly name: string
  readonly fields: readonly Field[]
}

/** The ways to log in that a document has: the bodies of a `create` whose `strategy` is fixed. */
export function strategiesIn(services: Iterable<ExploredService>): LoginForm[] {
  const strategies = [...services].flatMap(({ path, operations }) =>
    (operations.get('create')?.bodies ?? []).flatMap((body) => {
      const [name] = body.find((field) => field.name === 'strategy')?.choices ?? []
      if (typeof name !== 'string') return []
      return [{ path, name, fields: body.filter((field) => field.name !== 'strategy') }]
    })
  )
  const isBy = (token: string) => (strategy: LoginForm) => strategy.fields.every((field) => field.name === token)
  // Refresh tokens are used without being asked for. The same strategy may stand in several bodies.
  const isUseless = (strategy: LoginForm, index: number) =>
    isBy('refreshToken')(strategy) ||
    strategies.findIndex(({ path, name }) => path === strategy.path && name === strategy.name) < index
  // A token is at hand more seldom than a password.
  const isToken = isBy('accessToken')
  return strategies
    .filter((strategy, index) => !isUseless(strategy, index))
    .sort((a, b) => Number(isToken(a)) - Number(isToken(b)))
}

/** Whether a service is one that logs in. */
export const isLoginService = (service: ExploredService): boolean => strategiesIn([service]).length > 0

/** The headers by which keys are sent. */
export const keyHeadersIn = (document: unknown) => keysIn(document, 'header')

/** The cookies that tell who calls: the browser sends them by itself. */
export const cookiesIn = (document: unknown) => keysIn(document, 'cookie')

function keysIn(document: unknown, place: string): string[] {
  const schemes = entriesOf(propertyOf(propertyOf(document, 'components'), 'securitySchemes')).map(
    ([, scheme]) => scheme
  )
  const keys = schemes.filter((scheme) => propertyOf(scheme, 'type') === 'apiKey' && propertyOf(scheme, 'in') === place)
  return [...new Set(keys.flatMap((scheme) => textOf(propertyOf(scheme, 'name')) ?? []))]
}

/**
 * The address of the services of a document that comes from `place`. They are where it is: a
 * document can't send a token elsewhere. Its server says the path that stands before theirs.
 */
export function addressOf(document: unknown, place: string): string {
  const { origin } = new URL(place)
  const [server] = asList(propertyOf(document, 'servers'))
  const path = textOf(propertyOf(server, 'url'))?.replace(/^(https?:)?\/\/[^/?#]*/i, '') ?? ''
  return /^[\w./~-]*$/.test(path) ? new URL(`/${path}`.replace(/\/+/g, '/'), origin).href.replace(/\/$/, '') : origin
}

/** Who is logged in, as far as the answer to a login says it. */
export function nameOf(result: unknown): string {
  const entities = entriesOf(result).filter(([key]) => key !== 'authentication')
  for (const [, entity] of entities)
    for (const key of ['email', 'name', 'username', 'login', 'id', '_id']) {
      const value = propertyOf(entity, key)
      if (typeof value === 'string' || typeof value === 'number') return String(value)
    }
  return 'logged in'
}
