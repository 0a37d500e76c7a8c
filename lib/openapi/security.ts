import { isDeepStrictEqual } from 'node:util'
import type { SecurityScheme } from '../core/hooks.js'
import { numbered } from './names.js'

/** Alternative sets of schemes by name, as OpenAPI has them. */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[]

type SchemeSet = Readonly<Record<string, SecurityScheme>>

/** The scheme of a token in the header `Authorization`, if no strategy describes it further. */
export const bearer = { type: 'http', scheme: 'bearer' }

export class SecuritySchemes {
  readonly #declared: Map<string, unknown>
  readonly #fixed: ReadonlySet<string>
  readonly #known: ReadonlyMap<string, unknown>

  /**
   * @param ownSchemes the schemes that the application declares
   * @param serviceSchemes the schemes of all services, which routes of the application may name
   */
  constructor(ownSchemes: Readonly<Record<string, unknown>>, serviceSchemes: readonly SchemeSet[]) {
    this.#declared = new Map(Object.entries(ownSchemes).filter(([, scheme]) => scheme !== bearer))
    this.#fixed = new Set(this.#declared.keys())
    this.#known = new Map([['Bearer', bearer], ...serviceSchemes.flatMap((schemes) => Object.entries(schemes))])
  }

  /** The declared schemes by name. */
  get declared(): Record<string, unknown> {
    return Object.fromEntries(this.#declared)
  }

  /**
   * Declares schemes and returns their requirements. Different schemes of one name get a number.
   */
  require(security: readonly SchemeSet[]): SecurityRequirements {
    const sets = security.map((set) =>
      Object.fromEntries(Object.entries(set).map(([name, scheme]) => [this.#declare(name, scheme), []]))
    )
    return [...new Map(sets.map((set) => [JSON.stringify(set), set])).values()]
  }

  /**
   * Declares the schemes that the application names.
   * @throws {Error} if a scheme is unknown
   */
  requireByName(security: SecurityRequirements): void {
    for (const name of security.flatMap((set) => Object.keys(set))) {
      const scheme = this.#declared.get(name) ?? this.#known.get(name)
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
      const existing = this.#declared.get(free)
      // All bearer tokens are sent in the same way, whatever their format.
      return existing === undefined || scheme.scheme === 'bearer' || isDeepStrictEqual(existing, scheme)
    })
    if (!this.#declared.has(key)) this.#declared.set(key, scheme)
    return key
  }
}
