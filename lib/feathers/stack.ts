import type { ExpressLayer, MountedApplication } from './mounted.js'

/** A middleware of an application, in the order in which requests get to it. */
export interface Layer {
  readonly handle: unknown
  /** Its name in messages. */
  readonly name: string
  /** The URLs that it gets. `undefined` if they are unknown: it may get all. */
  readonly patterns?: readonly Pattern[] | undefined
}

/** Segments of URLs, `undefined` for a placeholder. */
interface Pattern {
  readonly segments: readonly (string | undefined)[]
  /** Whether URLs may go on after the segments. */
  readonly isPrefix: boolean
}

/** A layer of `@koa/router`. Without methods it runs only for the routes of others. */
interface KoaRoute {
  readonly path?: unknown
  readonly methods?: readonly string[]
}

/** Returns the middleware of an application. A bare `feathers()` has none. */
export function layersOf({ middleware, _router }: MountedApplication): readonly Layer[] {
  if (middleware !== undefined)
    return middleware.map((handle, index) => toKoaLayer(handle, `number ${index} of app.use()`))
  return (_router?.stack ?? []).map((layer, index) => toLayer(layer, `number ${index + 1} of app._router.stack`))
}

/**
 * Returns whether a middleware gets some URL of the service at a path, or of one of its records.
 */
export function reachesService({ patterns }: Layer, path: string): boolean {
  if (patterns === undefined) return true
  const segments = toSegments(path)
  const urls = [segments, [...segments, undefined]]
  return patterns.some((pattern) => urls.some((url) => matchesPattern(pattern, url)))
}

function matchesPattern({ segments, isPrefix }: Pattern, url: readonly (string | undefined)[]): boolean {
  if (isPrefix ? segments.length > url.length : segments.length !== url.length) return false
  return segments.every((segment, index) => {
    const urlSegment = url[index]
    return segment === undefined || urlSegment === undefined || segment.toLowerCase() === urlSegment.toLowerCase()
  })
}

const toSegments = (path: string) =>
  path
    .split('/')
    .filter(Boolean)
    .map((segment) => (segment.includes(':') ? undefined : segment))

function toKoaLayer(handle: unknown, position: string): Layer {
  const routes = koaRoutesOf(handle)
  if (routes === undefined) return { handle, name: middlewareName(handle, position) }
  const paths = routes.filter(({ methods = [] }) => methods.length > 0).map(({ path }) => path)
  return { handle, name: `a router (${joinPaths(paths)})`, patterns: toPatterns(paths, false) }
}

/** Returns the routes of a router of Koa, `undefined` for other middleware. */
export function koaRoutesOf(handle: unknown): readonly KoaRoute[] | undefined {
  const routes: unknown = Object(Object(handle).router).stack
  return Array.isArray(routes) ? routes : undefined
}

function toLayer({ handle, regexp, route }: ExpressLayer, position: string): Layer {
  if (route !== undefined) {
    const paths = [route.path].flat()
    return { handle, name: `a route (${joinPaths(paths)})`, patterns: toPatterns(paths, false) }
  }
  const path = regexp.fast_slash ? undefined : pathOfExpression(regexp)
  const name = middlewareName(handle, position)
  return path === undefined
    ? { handle, name }
    : { handle, name: `${name} at '${path}'`, patterns: toPatterns([path], true) }
}

/** Returns the path that Express has turned into an expression, if it is a plain one. */
function pathOfExpression({ source }: RegExp): string | undefined {
  const [, path] = /^\^((?:\\\/(?:[\w~!@-]|\\[.-])+)+)\\\/\?\(\?=\\\/\|\$\)$/.exec(source) ?? []
  return path?.replace(/\\(.)/g, '$1')
}

function toPatterns(paths: readonly unknown[], isPrefix: boolean): readonly Pattern[] | undefined {
  const isPlain = paths.every((path) => typeof path === 'string' && !/[*?+(){}[\]|\\]/.test(path))
  return isPlain ? paths.map((path) => ({ segments: toSegments(path as string), isPrefix })) : undefined
}

const joinPaths = (paths: readonly unknown[]) => paths.slice(0, 5).map(String).join(', ') || 'without routes'

/** Returns the name of a middleware, or its position if it has none. */
export const middlewareName = (middleware: unknown, position: string): string =>
  String(Object(middleware).name).replace(/^(bound )+/, '') || position
