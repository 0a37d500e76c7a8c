import type { Deprecation } from '../../types/deprecation.js'
import { checkOptions, hintFor, kinds, type OptionKind, type OptionTable } from './options.js'

const date: OptionKind = ["a Date, or a text such as '2027-01-01'", (value) => !Number.isNaN(timeOf(value))]
const deprecationOptions: OptionTable<Deprecation> = {
  at: date,
  sunset: date,
  link: ['an address without spaces, < and >', (value) => typeof value === 'string' && /^[!-;=?-~]+$/.test(value)],
  methods: kinds.names
}

const timeOf = (value: unknown): number =>
  value instanceof Date || typeof value === 'string' ? new Date(value).getTime() : Number.NaN

/** @throws if the option `deprecated` of a service is not valid, or names a method that it lacks */
export function checkDeprecation(option: unknown, path: string, exposed: readonly string[]): void {
  if (option === undefined || option === true) return
  checkOptions(`the service '${path}'`, deprecationOptions, Object(option), 'deprecated.')
  const { at = new Date(0), sunset, methods = [] } = option as Deprecation
  const unknown = methods.find((name) => !exposed.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `The option \`deprecated\` of the service '${path}' names '${unknown}', which clients can't call${hintFor(unknown, exposed)}`
    )
  // RFC 9745, section 4.
  if (sunset !== undefined && new Date(sunset) < new Date(at))
    throw new RangeError(`The service '${path}' can't be removed before it is deprecated: \`sunset\` is before \`at\``)
}

/** Returns the deprecation of a method, `undefined` if it has none. */
export function deprecationOf(option: true | Deprecation | undefined, method: string): Deprecation | undefined {
  const deprecation = option === true ? {} : option
  return deprecation?.methods?.includes(method) === false ? undefined : deprecation
}

/** Returns the headers of a deprecation (RFC 9745 and RFC 8594), without the one for its link. */
export function deprecationHeaders({ at = new Date(0), sunset }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${Math.floor(new Date(at).getTime() / 1000)}`,
    ...(sunset !== undefined && { sunset: new Date(sunset).toUTCString() })
  }
}
