import type { Field } from './schema.js'
import { entriesOf, listOf, own, textOf } from './schema.js'
import type { ExploredService } from './services.js'

/** A way to log in. */
export interface Strategy {
  /** The path of the authentication service. */
  readonly path: string
  readonly name: string
  readonly fields: readonly Field[]
}

/** The ways to log in that a document has: the bodies of a `create` whose `strategy` is fixed. */
export function strategiesIn(services: Iterable<ExploredService>): Strategy[] {
  const found = [...services].flatMap(({ path, operations }) =>
    (operations.get('create')?.bodies ?? []).flatMap((body) => {
      const [name] = body.find((field) => field.name === 'strategy')?.choices ?? []
      if (typeof name !== 'string') return []
      return [{ path, name, fields: body.filter((field) => field.name !== 'strategy') }]
    })
  )
  const isBy = (token: string) => (one: Strategy) => one.fields.every((field) => field.name === token)
  // Refresh tokens are used without being asked for. The same strategy may stand in several bodies.
  const isUseless = (one: Strategy, index: number) =>
    isBy('refreshToken')(one) || found.findIndex(({ path, name }) => path === one.path && name === one.name) < index
  // A token is at hand more seldom than a password.
  const isToken = isBy('accessToken')
  return found.filter((one, index) => !isUseless(one, index)).sort((a, b) => Number(isToken(a)) - Number(isToken(b)))
}

/** The headers by which keys are sent. */
export function keyHeadersIn(document: unknown): string[] {
  const schemes = entriesOf(own(own(document, 'components'), 'securitySchemes')).map(([, scheme]) => scheme)
  const keys = schemes.filter((one) => own(one, 'type') === 'apiKey' && own(one, 'in') === 'header')
  return [...new Set(keys.flatMap((one) => textOf(own(one, 'name')) ?? []))]
}

/**
 * The address of the services of a document that comes from `place`. They are where it is: a document can't send a token elsewhere. Its server
 * says the path that stands before theirs.
 */
export function addressOf(document: unknown, place: string): string {
  const { origin } = new URL(place)
  const [server] = listOf(own(document, 'servers'))
  const path = textOf(own(server, 'url'))?.replace(/^(https?:)?\/\/[^/?#]*/i, '') ?? ''
  return /^[\w./~-]*$/.test(path) ? new URL(`/${path}`.replace(/\/+/g, '/'), origin).href.replace(/\/$/, '') : origin
}

/** Who is logged in, as far as the answer to a login says it. */
export function nameOf(result: unknown): string {
  const entities = entriesOf(result).filter(([key]) => key !== 'authentication')
  for (const [, entity] of entities)
    for (const key of ['email', 'name', 'username', 'login', 'id', '_id']) {
      const value = own(entity, key)
      if (typeof value === 'string' || typeof value === 'number') return String(value)
    }
  return 'logged in'
}
