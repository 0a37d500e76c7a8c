import { isDeepStrictEqual } from 'node:util'
import type { FastifySchema } from 'fastify'
import type { SecurityScheme } from '../core/hooks.js'
import { numbered } from './names.js'

/** Alternatives, each a set of schemes by name, as OpenAPI has them. */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[]

/** What a token in the header `Authorization` is, if no strategy describes it further. */
export const bearer = { type: 'http', scheme: 'bearer' }

/** The security schemes of a document: each one that an operation requires is declared. */
export class SecuritySchemes {
  readonly #fixed: ReadonlySet<string>
  readonly #declared: Map<string, unknown>
  readonly #nameable: ReadonlyMap<string, unknown>

  /**
   * @param ownSchemes those that the application declares itself
   * @param serviceSchemes those of all services: routes of the application may name them
   */
  constructor(
    ownSchemes: Readonly<Record<string, unknown>>,
    serviceSchemes: readonly Readonly<Record<string, SecurityScheme>>[]
  ) {
    this.#declared = new Map(Object.entries(ownSchemes).filter(([, scheme]) => scheme !== bearer))
    this.#fixed = new Set(this.#declared.keys())
    this.#nameable = new Map([['Bearer', bearer], ...serviceSchemes.flatMap((schemes) => Object.entries(schemes))])
  }

  /** All that are declared, by name. */
  get declared(): Record<string, unknown> {
    return Object.fromEntries(this.#declared)
  }

  /**
   * Declares these schemes, and returns what requires them. Different schemes of one name get a
   * number each.
   */
  require(security: readonly Readonly<Record<string, SecurityScheme>>[]): SecurityRequirements {
    const sets = security.map((set) =>
      Object.fromEntries(Object.entries(set).map(([name, scheme]) => [this.#declare(name, scheme), []]))
    )
    return [...new Map(sets.map((set) => [JSON.stringify(set), set])).values()]
  }

  /**
   * Declares the schemes that the application names.
   * @throws {Error} if nothing says what a scheme is
   */
  requireByName(security: SecurityRequirements): void {
    for (const name of security.flatMap((set) => Object.keys(set))) {
      const scheme = this.#declared.get(name) ?? this.#nameable.get(name)
      if (scheme === undefined)
        throw new Error(
          `The OpenAPI document asks for the security scheme '${name}', which nothing declares: declare it in \`components.securitySchemes\` of openapi()`
        )
      this.#declared.set(name, scheme)
    }
  }

  #declare(name: string, scheme: SecurityScheme): string {
    if (this.#fixed.has(name)) return name
    const key = numbered(name, (free) => {
      const other = this.#declared.get(free)
      // All bearer tokens are sent in the same way, whatever their format.
      return other === undefined || scheme.scheme === 'bearer' || isDeepStrictEqual(other, scheme)
    })
    if (!this.#declared.has(key)) this.#declared.set(key, scheme)
    return key
  }
}

const postponedKey = 'x-fastify-services-security'

/**
 * Keeps the requirements of a route until the schemes of all routes are known: `@fastify/swagger`
 * throws if a scheme is not declared yet.
 * @param resolve declares the schemes, and returns the requirements
 */
export function postponeSecurity(
  schema: FastifySchema,
  resolve: (schemes: SecuritySchemes) => SecurityRequirements
): FastifySchema {
  const { security: _postponed, ...others } = schema
  return Object.assign(others, { [postponedKey]: resolve })
}

/** Gives an operation the requirements that were postponed. */
export function restoreSecurity(operation: Record<string, unknown>, schemes: SecuritySchemes): void {
  const resolve = operation[postponedKey] as ((schemes: SecuritySchemes) => SecurityRequirements) | undefined
  if (resolve === undefined) return
  delete operation[postponedKey]
  operation.security = resolve(schemes)
}
