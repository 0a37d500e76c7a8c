import { type FeathersService, type Mounted, optionsMarkOf, optionsOf } from './mounted.js'

/** The formatter of `rest(formatter)`, as messages and the option `ignoreMiddleware` name it. */
export const restFormatter = { handle: { name: 'rest(formatter)' }, name: 'rest(formatter)' }

/**
 * Finds the services whose answers are made by a formatter of the application, `rest(formatter)`,
 * which does not run on Fastify and may hide fields.
 *
 * Koa and Express show a formatter to nobody. So it is called once, with a request that nobody has
 * sent: the default formatter is the one that reads nothing (Koa), or sends the result as JSON and
 * reads nothing else (Express). Any other is stopped at its first step.
 */
export async function servicesWithFormatter(application: Mounted): Promise<ReadonlySet<FeathersService>> {
  const formatted = new Set<FeathersService>()
  for (const service of new Set(Object.values(application.services))) {
    const { koa, express } = optionsOf(service)
    const hasMiddleware = [koa?.before, koa?.after, express?.before, express?.after].flat().some(Boolean)
    // A service with middleware of its own is refused or handed over anyway, and the call would run
    // that middleware.
    if (hasMiddleware) continue
    if (
      (koa?.composed && (await readsInKoa(koa.composed, optionsMarkOf(service)))) ||
      (express?.composed && readsInExpress(express.composed))
    )
      formatted.add(service)
  }
  return formatted
}

type Composed = (...args: unknown[]) => unknown

/** Counts what is done with an object. What does more than it may is stopped. */
function createTrap(
  target: object,
  isAllowed: (name: string | symbol) => boolean
): { trap: object; isTouched(): boolean } {
  let wasTouched = false
  const stop = () => {
    wasTouched = true
    throw new Error('fastify-services/feathers asks whether this is the default formatter of rest()')
  }
  const guard =
    <A extends [object, string | symbol, ...unknown[]]>(act: (...args: A) => unknown) =>
    (...args: A) =>
      isAllowed(args[1]) ? act(...args) : stop()
  const handler: ProxyHandler<object> = {
    get: guard(Reflect.get),
    set: guard(Reflect.set) as () => boolean,
    has: stop,
    ownKeys: stop,
    getPrototypeOf: stop
  }
  return { trap: new Proxy(target, handler), isTouched: () => wasTouched }
}

const never = () => false

async function readsInKoa(composed: Composed, mark: symbol): Promise<boolean> {
  const find = Object.assign(async () => ({ http: {}, result: {}, dispatch: undefined }), {
    createContext: (data: object) => data
  })
  const service = { find, [mark]: { methods: ['find'] } }
  const request = { query: {}, headers: {}, path: '/', body: undefined, method: 'GET' }
  const context = { request, response: {}, lookup: { service, params: {} }, feathers: {}, set() {} }
  // The service is done when its result is the body.
  const isOfService = () => !('body' in context)
  const { trap, isTouched } = createTrap(context, isOfService)
  let hasGoneOn = false
  const next = async () => {
    hasGoneOn = true
  }
  const isDefault = await Promise.race([
    Promise.resolve(composed(trap, next)).then(
      () => true,
      () => false
    ),
    new Promise((resolve) => setTimeout(resolve, 1000, false).unref())
  ])
  return !isDefault || !('body' in context) || isTouched() || hasGoneOn
}

function readsInExpress(composed: Composed): boolean {
  const [request, data] = [createTrap({}, never), createTrap({}, never)]
  const sent: unknown[] = []
  const format = (types: object) => {
    for (const [type, send] of Object.entries(types)) {
      sent.push(type)
      send()
    }
  }
  const parts = { data: data.trap, format, json: (value: unknown) => void sent.push(value) }
  const response = createTrap(parts, (name) => name in parts)
  let hasGoneOn = false
  try {
    // The composed chain is a router of Express.
    const { handle } = (composed as unknown as { readonly stack: readonly object[] }).stack.at(-1) as {
      handle: Composed
    }
    handle(request.trap, response.trap, () => {
      hasGoneOn = true
    })
  } catch {
    return true
  }
  const isDefault = sent.length === 2 && sent[0] === 'application/json' && sent[1] === data.trap
  return !isDefault || hasGoneOn || [request, data, response].some(({ isTouched }) => isTouched())
}
