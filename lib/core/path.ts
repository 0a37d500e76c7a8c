import { BadRequest } from './errors.js'

/** `/a/b/` → `a/b`: the name of the service that stands at a path. */
export function stripSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '')
}

/** Joins parts of a path to the name of a service: `/v1/`, `/messages` → `v1/messages`. */
export function joinPath(...parts: string[]): string {
  return parts.map(stripSlashes).filter(Boolean).join('/')
}

/**
 * A value as one segment of a URL.
 * @throws {BadRequest} when there is none, or it is one that can't stand there: `.`, `..`, half a character
 */
export function encodeSegment(value: unknown, name: string): string {
  const segment = String(value ?? '')
  if (/^\.{0,2}$|\p{Surrogate}/u.test(segment))
    throw new BadRequest(`${name} can't be ${segment ? JSON.stringify(segment) : 'empty'}`)
  return encodeURIComponent(segment)
}

/**
 * Fills the placeholders of a service path: `users/:userId/messages` and `{ userId: 7 }` → `users/7/messages`.
 * @throws {BadRequest} when there is no value for one
 */
export function fillPath(path: string, route: Readonly<Record<string, unknown>> = {}): string {
  return path.replace(/(^|\/):(\w+)/g, (_, slash: string, name: string) => {
    const value = Object.hasOwn(route, name) ? route[name] : undefined
    return slash + encodeSegment(value, `The value of ':${name}' in params.route`)
  })
}
