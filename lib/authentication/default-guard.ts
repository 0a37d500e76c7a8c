import type { FastifyInstance } from 'fastify'
import type { AroundHook } from '../../types/hooks.js'
import { type Describable, hooksAround } from '../core/description.js'
import { type HookPosition, traitsOf, withTraits } from '../core/hooks.js'
import { type ServiceHost, serviceHostOf } from '../core/host.js'
import { joinPath } from '../core/path.js'
import { schemesOf } from './documentation.js'
import { isAuthentication } from './find.js'
import type { Credentials } from './verifier.js'

interface DefaultGuard {
  readonly credentials: Credentials
  /** The names of the strategies, one of which must prove who calls. */
  readonly strategies: readonly string[]
  /** Services, and methods of services, that anybody may call. */
  readonly open: readonly string[]
}

/**
 * Guards each service of an instance, also those that come later and those of mounted applications.
 * Left out are the methods that `open` names, those that have a guard of their own, and
 * authentication services.
 */
export function guardServices(app: FastifyInstance, { credentials, strategies, open }: DefaultGuard): void {
  const host = serviceHostOf(app)
  const answers = new Map<string, boolean>()

  function isGuarded(path: string, method: string): boolean {
    const key = `${path} ${method}`
    const answer = answers.get(key)
    if (answer !== undefined) return answer
    const entry = host.entryAt(path) as Describable
    const result = isWithin(app, entry.app) && !isOpen(entry, method)
    if (host.isReady) answers.set(key, result)
    return result
  }

  function isOpen(entry: Describable, method: string): boolean {
    if (isAuthentication(entry.app, entry.service)) return true
    const isNamed = open.some((name) =>
      namesIn(app, name).some((path) => path === entry.path || path === `${entry.path}.${method}`)
    )
    return (
      isNamed ||
      hooksAround(entry, method, ['around', 'before']).some((other) => other !== hook && decides(other, entry))
    )
  }

  /**
   * Whether another guard stands in place of this one: that of a service, or that of an instance
   * nearer to it.
   */
  function decides(other: unknown, entry: Describable): boolean {
    const { security, guards } = traitsOf(other)
    if (guards === undefined) return security !== undefined
    return guards !== app && isWithin(app, guards) && isWithin(guards, entry.app)
  }

  const guard: AroundHook = async (context, next) => {
    const { service, method, id, path } = context
    if (!isGuarded(path, method)) return next()
    try {
      context.params = await credentials.check(context.params, strategies, { service, method, id, call: context })
    } catch (error) {
      // The error hooks of all services run within this one. They see what is wrong here too, or the
      // failure of a database would leave as it is.
      return host.errorHooks(method)(context, () => Promise.reject(error))
    }
    await next()
  }
  const security = ({ path }: HookPosition, method: string) =>
    isGuarded(path, method) ? schemesOf(credentials, strategies) : undefined
  const hook = withTraits(guard, { isOutermost: true, guards: app, security })
  host.addHooks({ around: { all: [hook] } })
  app.addHook('onReady', async () => {
    checkPublicNames(app, open, host)
    // A guard that is added from now on is one more.
    for (const { path, methods } of host.entries) for (const method of methods.keys()) isGuarded(path, method)
  })
}

/**
 * A name as it stands in the option: that of a service under the prefix of the instance, or at the
 * root.
 */
const namesIn = (app: FastifyInstance, name: string) => [joinPath(app.prefix, name), joinPath(name)]

/** Whether an instance is another one, or was made within it. */
const isWithin = (app: object, instance: unknown) =>
  instance === app || Object.prototype.isPrototypeOf.call(app, instance as object)

/** @throws when a name is that of no service and of no method that HTTP may call */
function checkPublicNames(app: FastifyInstance, open: readonly string[], { entries }: ServiceHost): void {
  const names = entries.flatMap(({ path, exposed }) => [path, ...exposed.map((method) => `${path}.${method}`)])
  const meanings = (name: string) => names.filter((path) => namesIn(app, name).includes(path)).length
  const ambiguous = open.find((name) => meanings(name) > 1)
  if (ambiguous !== undefined)
    throw new Error(
      `The option \`public\` of authentication names '${ambiguous}', which is there twice: give one of the two another path`
    )
  const unknown = open.find((name) => meanings(name) === 0)
  if (unknown === undefined) return
  const paths = entries.map(({ path }) => `'${path}'`).join(', ')
  throw new Error(
    `The option \`public\` of authentication names '${unknown}', which is no service and no method of one, as in 'posts' or 'posts.find'. Services: ${paths}`
  )
}
