import { BadRequest } from './errors.js'

/** Returns the name of the service at a path: `/a/b/` → `a/b`. */
export function stripSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '')
}

/** Joins parts of a path to the name of a service: `/v1/`, `/messages` → `v1/messages`. */
export function joinPath(...parts: string[]): string {
  return parts.map(stripSlashes).filter(Boolean).join('/')
}

/**
 * Encodes a value as one segment of a URL.
 * @throws {BadRequest} if there is none, or it can't be a segment: `.`, `..`, half a character, or
 * a value without a text, such as NaN or `{}`
 */
export function encodeSegment(value: unknown, name: string): string {
  const segment = String(value ?? '')
  if (/^\.{0,2}$|\p{Surrogate}/u.test(segment) || (typeof value !== 'string' && notSegment.test(segment)))
    throw new BadRequest(`${name} can't be ${segment ? JSON.stringify(segment) : 'empty'}`)
  return encodeURIComponent(segment)
}

// The texts of values that are no segment: NaN, booleans, plain objects, promises, functions and
// symbols.
const notSegment = /^(NaN|-?Inf|true|fal)|[[({,]/

/**
 * The name of the route parameter with the id of a record. It is another one if the path of the
 * service uses `:id` itself.
 */
export function idName(path: string): string {
  return /:id(?!\w)/.test(path) ? '__id' : 'id'
}

/** The names of the placeholders in a path. */
export const placeholdersIn = (path: string): string[] =>
  [...path.matchAll(/(?:^|\/):(\w+)/g)].map(([, name = '']) => name)

/**
 * Fills the placeholders of a path: `users/:userId/messages` and `{ userId: 7 }` →
 * `users/7/messages`.
 * @param place where the values were to be given, for the error
 * @throws {BadRequest} when there is no value for one
 */
export function fillPath(
  path: string,
  values: Readonly<Record<string, unknown>> = {},
  place = 'in params.route'
): string {
  return path.replace(/(^|\/):(\w+)/g, (_, slash: string, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return slash + encodeSegment(value, `The value of ':${name}' ${place}`)
  })
}
