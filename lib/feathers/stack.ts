import type { ExpressLayer, MountedApplication } from './mounted.js'

/** A middleware of an application, in the order in which requests get to it. */
export interface Layer {
  readonly handle: unknown
  readonly name: string
}

/** Returns the middleware of an application. A bare `feathers()` has none. */
export function layersOf({ middleware, _router }: MountedApplication): readonly Layer[] {
  if (middleware !== undefined)
    return middleware.map((handle, index) => ({ handle, name: nameOfKoa(handle, `number ${index} of app.use()`) }))
  return (_router?.stack ?? []).map((layer, index) => ({
    handle: layer.handle,
    name: nameOfExpress(layer, `number ${index + 1} of app._router.stack`)
  }))
}

function nameOfKoa(handle: unknown, position: string): string {
  const { stack }: { stack?: unknown } = Object(Object(handle).router)
  if (!Array.isArray(stack)) return middlewareName(handle, position)
  // A layer without methods runs only for the routes of others.
  const routes = (stack as { path?: unknown; methods?: readonly string[] }[]).filter(({ methods }) => methods?.length)
  return `a router (${joinPaths(routes.map(({ path }) => path))})`
}

const nameOfExpress = ({ handle, route }: ExpressLayer, position: string): string =>
  route === undefined ? middlewareName(handle, position) : `a route (${joinPaths([route.path].flat())})`

const joinPaths = (paths: readonly unknown[]) => paths.slice(0, 5).map(String).join(', ') || 'without routes'

export const middlewareName = (middleware: unknown, position: string): string =>
  String(Object(middleware).name).replace(/^(bound )+/, '') || position
