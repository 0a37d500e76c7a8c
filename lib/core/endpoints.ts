import { custom, type MethodDefinition, methods } from './methods.js'

/** A verb and a path, under that of its service, by which a method is called over HTTP. */
export interface Endpoint {
  readonly verb: string
  /** `''`, `:id`, `stats`, `:id/publish`. */
  readonly path: string
  /** Whether a request names the method in `X-Service-Method`. It can do so for every custom method. */
  readonly byHeader: boolean
}

const six = new Set(methods.values())
const named: Endpoint = { verb: custom.verb, path: custom.path, byHeader: true }

/** Where a method is called, by its row. The routes, the 405 answer and what describes a service read it. */
export function endpointsOf(definition: MethodDefinition): readonly Endpoint[] {
  const { verb, path, id } = definition
  const own = { verb, path, byHeader: false }
  if (six.has(definition)) return id === 'optional' ? [{ ...own, path: '' }, own] : [own]
  return definition === custom ? [named] : [own, named]
}
