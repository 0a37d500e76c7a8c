import type { AnyMethod } from '../core/facade.js'
import { type FeathersService, type MountedApplication, optionsSymbol, serviceOptions } from './mounted.js'
import { createTrap, isFulfilled } from './probe.js'

/** The formatter of `rest(formatter)`, as messages and the option `ignoreMiddleware` name it. */
export const restFormatter = { handle: { name: 'rest(formatter)' }, name: 'rest(formatter)' }

/**
 * Finds the services whose answers are made by a formatter of the application, `rest(formatter)`,
 * which does not run on Fastify and may hide fields.
 *
 * Koa and Express don't expose a formatter. So it is called once, with a request that no client has
 * sent: the default formatter reads nothing (Koa), or sends the result as JSON and reads nothing
 * else (Express). Any other is stopped at its first step.
 */
export async function servicesWithFormatter(application: MountedApplication): Promise<ReadonlySet<FeathersService>> {
  const formatted = new Set<FeathersService>()
  for (const service of new Set(Object.values(application.services))) {
    const { koa, express } = serviceOptions(service)
    const hasMiddleware = [koa?.before, koa?.after, express?.before, express?.after].flat().some(Boolean)
    // A service with its own middleware is refused or forwarded anyway, and the call would run that
    // middleware.
    if (hasMiddleware) continue
    if (
      (koa?.composed && (await isFormattedByKoa(koa.composed))) ||
      (express?.composed && isFormattedByExpress(express.composed))
    )
      formatted.add(service)
  }
  return formatted
}

const never = () => false

async function isFormattedByKoa(composed: AnyMethod): Promise<boolean> {
  const find = Object.assign(async () => ({ http: {}, result: {}, dispatch: undefined }), {
    createContext: (data: object) => data
  })
  const service = { find, [optionsSymbol]: { methods: ['find'] } }
  const request = { query: {}, headers: {}, path: '/', body: undefined, method: 'GET' }
  const context = { request, response: {}, lookup: { service, params: {} }, feathers: {}, set() {} }
  // The service is done when its result is the body.
  const { trap, isTouched } = createTrap(context, () => !('body' in context))
  let isNextCalled = false
  const next = async () => {
    isNextCalled = true
  }
  const isOver = await isFulfilled(Promise.resolve(composed(trap, next)))
  return !isOver || !('body' in context) || isTouched() || isNextCalled
}

function isFormattedByExpress(composed: AnyMethod): boolean {
  const [request, data] = [createTrap({}, never), createTrap({}, never)]
  const sent: unknown[] = []
  const format = (types: object) => {
    for (const [type, send] of Object.entries(types)) {
      sent.push(type)
      send()
    }
  }
  const members = { data: data.trap, format, json: (value: unknown) => void sent.push(value) }
  const response = createTrap(members, (name) => name in members)
  let isNextCalled = false
  try {
    // The composed chain is a router of Express.
    const { stack } = composed as unknown as { readonly stack: readonly { readonly handle: AnyMethod }[] }
    stack.at(-1)?.handle(request.trap, response.trap, () => {
      isNextCalled = true
    })
  } catch {
    return true
  }
  const isDefault = sent.length === 2 && sent[0] === 'application/json' && sent[1] === data.trap
  return !isDefault || isNextCalled || [request, data, response].some(({ isTouched }) => isTouched())
}
