import type { ExpressLayer, Mounted } from './mounted.js'

/** A middleware of an application, in the order in which requests get to it. */
export interface Layer {
  readonly handle: unknown
  /** What to call it in a message. */
  readonly name: string
  /** The URLs that it gets. `undefined` where that is not to be seen: it may get all. */
  readonly patterns?: readonly Pattern[] | undefined
}

/** Segments of URLs, `undefined` for one that can be anything. */
export interface Pattern {
  readonly segments: readonly (string | undefined)[]
  /** Whether URLs may go on after them. */
  readonly isPrefix: boolean
}

/**
 * A layer of the routers of `@koa/router`: without methods it runs for the routes of others alone.
 */
interface KoaRoute {
  readonly path?: unknown
  readonly methods?: readonly string[]
}

/** The middleware of an application. A bare `feathers()` has none. */
export function stackOf({ middleware, _router }: Mounted): readonly Layer[] {
  if (middleware !== undefined) return middleware.map((handle, index) => ofKoa(handle, `number ${index} of app.use()`))
  return (_router?.stack ?? []).map((layer, index) => ofExpress(layer, `number ${index + 1} of app._router.stack`))
}

/**
 * Whether some URL of the service at a path, or of a record of it, is one of those that a
 * middleware gets.
 */
export function meetsService({ patterns }: Layer, path: string): boolean {
  if (patterns === undefined) return true
  const segments = segmentsOfPath(path)
  const urls = [segments, [...segments, undefined]]
  return patterns.some(({ segments, isPrefix }) =>
    urls.some(
      (url) =>
        (isPrefix ? segments.length <= url.length : segments.length === url.length) &&
        segments.every((segment, index) => fits(segment, url[index]))
    )
  )
}

const fits = (segment: string | undefined, other: string | undefined) =>
  segment === undefined || other === undefined || segment.toLowerCase() === other.toLowerCase()

/** The segments of a path. */
const segmentsOfPath = (path: string) =>
  path
    .split('/')
    .filter(Boolean)
    .map((segment) => (segment.includes(':') ? undefined : segment))

function ofKoa(handle: unknown, place: string): Layer {
  const routes: unknown = Object(Object(handle).router).stack
  if (Array.isArray(routes)) {
    const answering = (routes as KoaRoute[]).filter(({ methods = [] }) => methods.length > 0)
    const paths = answering.map(({ path }) => path)
    return { handle, name: `a router (${shownPaths(paths)})`, patterns: toPatterns(paths, false) }
  }
  // The middleware answers for the routes of a router alone.
  const patterns = isAllowedMethods(String(handle)) ? [] : undefined
  return { handle, name: nameOf(handle, place), patterns }
}

// What `allowedMethods()` of all versions of the routers of Koa does: nothing before the others are
// done, whatever the request is, and then it looks at the routes that have taken it. A guard may
// have that name, or look at these routes, but does so before.
const goesOnFirst =
  /^(async )?(function\s*\w*\s*)?\(\w+, ?next\)\s*(=>)?\s*\{\s*(const \w+ = \w+;?\s*)?(return next\(\)\.then\(|await next\(\))/
const isAllowedMethods = (code: string) =>
  goesOnFirst.test(code) && /\b(ctx|context|routerContext)\.matched\b/.test(code)

function ofExpress({ handle, regexp, route }: ExpressLayer, place: string): Layer {
  if (route !== undefined) {
    const paths = [route.path].flat()
    return { handle, name: `a route (${shownPaths(paths)})`, patterns: toPatterns(paths, false) }
  }
  const path = regexp.fast_slash ? undefined : prefixOf(regexp)
  const name = nameOf(handle, place)
  return path === undefined
    ? { handle, name }
    : { handle, name: `${name} at '${path}'`, patterns: toPatterns([path], true) }
}

/** The path that Express has made an expression of, where it is a plain one. */
function prefixOf(regexp: RegExp): string | undefined {
  const [, source] = /^\^((?:\\\/(?:[\w~!@-]|\\[.-])+)+)\\\/\?\(\?=\\\/\|\$\)$/.exec(regexp.source) ?? []
  return source?.replace(/\\(.)/g, '$1')
}

function toPatterns(paths: readonly unknown[], isPrefix: boolean): readonly Pattern[] | undefined {
  const isPlain = paths.every((path) => typeof path === 'string' && !/[*?+(){}[\]|\\]/.test(path))
  return isPlain ? paths.map((path) => ({ segments: segmentsOfPath(path as string), isPrefix })) : undefined
}

const shownPaths = (paths: readonly unknown[]) => paths.slice(0, 5).map(String).join(', ') || 'without routes'

/**
 * The name of a function.
 * @param place says which one it is if it has no name
 */
export const nameOf = (middleware: unknown, place: string): string =>
  String(Object(middleware).name).replace(/^(bound )+/, '') || place
