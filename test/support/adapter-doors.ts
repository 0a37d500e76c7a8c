import Fastify from 'fastify'
import services, { type RegisteredService, type ServiceOptions } from 'fastify-services'
import qs from 'qs'
import type { Test } from 'tap'

export interface AdapterOptions {
  multi?: boolean | string[]
  paginate?: { default?: number; max?: number }
}

/** A database adapter, with a store of records that have `id`, `text`, `author` and `at`. */
export interface Adapter {
  readonly name: string
  /** Whether it is a database adapter of Feathers, with the members that its hooks use. Default: one of ours. */
  readonly isOfFeathers?: boolean
  /** A service on an empty store, made as its documentation makes one. */
  create(t: Test, options?: AdapterOptions): Promise<object>
}

type Args = readonly unknown[]
type Method = (...args: Args) => Promise<unknown>

/** What the suite calls a service through: HTTP, or the registered service in the server. */
export interface Door {
  readonly name: string
  call(method: string, ...args: Args): Promise<unknown>
}

interface Request {
  readonly verb: string
  readonly id?: unknown
  readonly data?: unknown
  readonly params?: { query?: object } | undefined
}

type Query = { query?: object }
const requests: Record<string, (...args: Args) => Request> = {
  find: (params) => ({ verb: 'GET', params: params as Query }),
  get: (id, params) => ({ verb: 'GET', id, params: params as Query }),
  create: (data, params) => ({ verb: 'POST', data, params: params as Query }),
  update: (id, data, params) => ({ verb: 'PUT', id, data, params: params as Query }),
  patch: (id, data, params) => ({ verb: 'PATCH', id, data, params: params as Query }),
  remove: (id, params) => ({ verb: 'DELETE', id, params: params as Query })
}

/** Calls a service by `fetch`. An error is thrown as its JSON body; a status that does not fit the body is an error of the test. */
export function httpDoor(url: string): Door {
  return {
    name: 'over HTTP',
    async call(method, ...args) {
      const { verb, id, data, params } = (requests[method] as (...args: Args) => Request)(...args)
      const path = typeof id === 'string' || typeof id === 'number' ? `/${encodeURIComponent(id)}` : ''
      const headers = { accept: 'application/json', ...(data !== undefined && { 'content-type': 'application/json' }) }
      const body = data === undefined ? null : JSON.stringify(data)
      const query = qs.stringify(params?.query, { addQueryPrefix: true })
      const response = await fetch(url + path + query, { method: verb, headers, body })
      const result = (await response.json()) as { code?: unknown }
      if (!response.ok && result.code === response.status) throw result
      const status = method === 'create' ? 201 : 200
      if (response.status !== status) throw new Error(`${verb} ${path} answered ${response.status}`)
      return result
    }
  }
}

/** Calls the registered service in the server. An error is thrown in its JSON form. */
export function serverDoor(service: object): Door {
  const methods = service as Record<string, Method>
  return {
    name: 'in the server',
    call: (method, ...args) =>
      (methods[method] as Method)(...args).catch((error) => {
        throw JSON.parse(JSON.stringify(error))
      })
  }
}

/** What was thrown; a call that answers is an error of the test. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error) => ({ error })
  )
  if ('error' in outcome) return outcome.error
  throw new Error(`It answered ${JSON.stringify(outcome.result)}`)
}

/** An adapter mounted unchanged at `/messages` of a server of its own, closed when the test ends. */
export async function mount(t: Test, object: object, options: ServiceOptions<object> = {}) {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  const service = app.service('messages', object, options) as RegisteredService<Record<string, Method>>
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/messages`
  return { app, service, url, doors: [httpDoor(url), serverDoor(service)] as const }
}

export const records = [
  { text: 'one', author: 'ada', at: '2026-01-01' },
  { text: 'two', author: 'bob', at: '2026-01-02' },
  { text: 'three', author: 'ada', at: '2026-01-03' },
  { text: 'four', author: 'cy', at: '2026-01-04' }
]

/** A test for each door, with four records (ids 1 to 4) in a store of its own. */
export async function eachDoor(
  t: Test,
  adapter: Adapter,
  options: AdapterOptions,
  run: (t: Test, door: Door, mounted: Awaited<ReturnType<typeof mount>>) => Promise<void>,
  serviceOptions: ServiceOptions<object> = {}
): Promise<void> {
  for (const index of [0, 1] as const) {
    const object = await adapter.create(t, options)
    const { _create, create } = object as Record<string, Method>
    for (const record of records) await ((_create ?? create) as Method).call(object, record)
    const mounted = await mount(t, object, serviceOptions)
    const door = mounted.doors[index]
    await t.test(door.name, (t) => run(t as Test, door, mounted))
  }
}
