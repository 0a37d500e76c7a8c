import type { MethodRoutes } from '../../types/custom-route.js'
import { endpointsOf } from '../core/endpoints.js'
import { definitionOf, methods } from '../core/methods.js'
import { placeholdersIn } from '../core/path.js'
import { routePath } from './call.js'
import type { Router } from './router.js'

const form = /^(GET|POST|PUT|PATCH|DELETE) \/(?!\/)/
// Fixed segments are sent as they are written, values are encoded.
const segment = /^(:[a-z]\w*|(?!\.{1,2}$)[^\s:*?#%()\\;]+)$/i

/**
 * Checks the routes of custom methods.
 * @throws when one is of another form, belongs to a method that can't have one, or has the URLs of another method
 */
export function checkRoutes(
  routes: MethodRoutes | undefined,
  path: string,
  exposed: readonly string[],
  { options }: Router
): void {
  for (const [name, text] of Object.entries(routes ?? {})) {
    const reason = reasonAgainst(name, text, path, exposed)
    if (reason !== undefined)
      throw new Error(`The service '${path}' can't have the route '${text}' for '${name}': ${reason}`)
  }
  const taken: { name: string; verb: string; own: string; shape: string }[] = []
  for (const name of exposed)
    for (const { verb, path: own, byHeader } of endpointsOf(definitionOf(name, routes?.[name]))) {
      if (byHeader) continue
      const bare = own.replace(/:\w+/g, ':')
      const shape = options.caseSensitive ? bare : bare.toLowerCase()
      // Two verbs may share a path, if it is spelt in one way.
      const other = taken.find((one) => one.shape === shape && (one.verb === verb || one.own !== own))
      if (other !== undefined)
        throw new Error(
          `The methods '${other.name}' (${other.verb} /${other.own}) and '${name}' (${verb} /${own}) of the service '${path}' have the same URLs: give one of them another path`
        )
      taken.push({ name, verb, own, shape })
    }
}

function reasonAgainst(name: string, text: unknown, path: string, exposed: readonly string[]): string | undefined {
  if (methods.has(name)) return 'the routes of the six methods are fixed'
  if (!exposed.includes(name))
    return `its option \`methods\` (${exposed.join(', ')}) has no such name. Add it there, or correct it here`
  if (typeof text !== 'string' || !form.test(text)) return "write a verb and a path, as in 'POST /:id/publish'"
  const own = definitionOf(name, text).path
  const wrong = own.split('/').find((one) => own !== '' && !segment.test(one))
  if (wrong !== undefined) return `'${wrong}' can't be a segment of its path: write a word, or a placeholder as ':id'`
  if (/^:(?!id$)\w+$/.test(own)) return "a record is at ':id'"
  const names = [path, routePath(path, own)].flatMap(placeholdersIn)
  const twice = names.find((one, index) => names.indexOf(one) !== index)
  return twice && `':${twice}' stands twice in its path`
}
