import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { aroundHooksOf, type HookPosition, type HookStore, hooksInOrder, traitsOf } from '../core/hooks.js'
import { methods } from '../core/methods.js'
import { hintFor } from '../core/options.js'
import { ownPluginState, rootOf } from '../core/plugin-state.js'
import type { ServiceEntry } from '../core/service.js'

const ask = (hooks: unknown, place: HookPosition) => {
  for (const hook of [hooks].flat(2)) traitsOf(hook).check?.(place)
}

/**
 * Lets the hooks of a service, and the middleware around it, check their position.
 * @throws the error of the first check that fails
 */
export function startHooks(
  { app, path, service, methods: ofService, hooks }: ServiceEntry,
  common: HookStore,
  { before, after }: { before?: unknown; after?: unknown }
): void {
  const place = { app, path, service }
  for (const { type, method, hook } of [...common.added, ...hooks.added]) {
    const names = method === 'all' ? [...ofService.keys()] : ofService.has(method) ? [method] : undefined
    if (names === undefined) continue
    const within = () => new Map(names.map((name) => [name, hooksWithin(hook, name, [common, hooks])]))
    ask(hook, { ...place, type, within })
  }
  ask(before, place)
  ask(after, { ...place, type: 'after' })
}

/**
 * Warns of methods that hooks of all services name, where no service has one of that name and its
 * name is like one that there is. At the start it is known which methods there are. Hooks that
 * several applications share may name methods of another one.
 */
export function checkCommonHooks({ added }: HookStore, entries: readonly ServiceEntry[], log: FastifyBaseLogger): void {
  const methodNames = ['all', ...methods.keys(), ...entries.flatMap((entry) => [...entry.methods.keys()])]
  for (const { method } of added) {
    const hint = methodNames.includes(method) ? '' : hintFor(method, methodNames)
    if (hint !== '') log.warn(`No service has the method '${method}', which has hooks for all services${hint}`)
  }
}

/** The hooks of a method that run within one of its around hooks. */
function hooksWithin(hook: unknown, name: string, stores: readonly HookStore[]): unknown[] {
  const inOrder = stores.flatMap((store) => [...aroundHooksOf(store, name), ...hooksInOrder(store, 'before', name)])
  const position = inOrder.findIndex((other) => other.hook === hook)
  return inOrder
    .slice(position + 1)
    .map((other) => other.hook)
    .filter((other) => traitsOf(other).isOutermost !== true)
}

/** Asks the hooks of all routes, before the server starts. */
export function startRouteHooks(app: FastifyInstance): void {
  const checks: (() => void)[] = []
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const { onRequest, preParsing, preValidation, preHandler, preSerialization, onSend, onResponse, onError } = route
    const before = [onRequest, preParsing, preValidation, preHandler].filter(mayAsk)
    const after = [preSerialization, onSend, onResponse, onError].filter(mayAsk)
    const place = { app: this, path: route.url }
    // Most routes have nothing to ask, and there may be many of them.
    if (before.length > 0) checks.push(() => ask(before, place))
    if (after.length > 0) checks.push(() => ask(after, { ...place, type: 'after' }))
  })
  app.addHook('onReady', async () => {
    for (const check of checks.splice(0)) check()
  })
}

// A list may get more hooks until the start.
const mayAsk = (hooks: unknown) => Array.isArray(hooks) || traitsOf(hooks).check !== undefined

/** A server of Node, as far as its timeouts go. That of HTTP/2 has none of the two. */
interface Timed {
  readonly requestTimeout?: number
  readonly headersTimeout?: number
}

/**
 * Warns, once for a server, of a `requestTimeout` that lets a body arrive for longer: Node ends
 * half a header after the shorter of it and `headersTimeout`, and half a body after the longer.
 */
export function checkTimeouts(app: FastifyInstance): void {
  const { requestTimeout = 0, headersTimeout = 0 }: Timed = app.server
  if (requestTimeout <= 0 || headersTimeout <= requestTimeout) return
  const state = ownPluginState(rootOf(app))
  if (state.hasWarnedOfTimeouts) return
  state.hasWarnedOfTimeouts = true
  app.log.warn(
    `A request may take ${headersTimeout} ms to arrive, not the ${requestTimeout} ms of \`requestTimeout\`: Node ends half a body after the longer of it and \`headersTimeout\`. Set both: Fastify({ requestTimeout: ${requestTimeout}, http: { headersTimeout: ${requestTimeout} } }), with TLS in \`https\``
  )
}
