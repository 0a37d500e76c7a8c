import Fastify, { type FastifyInstance } from 'fastify'
import qs from 'qs'
import services, { type RegisteredService, type ServiceOptions } from '../../index.js'

type AnyCall = (...args: readonly unknown[]) => Promise<unknown>

/** One way to call a service: over HTTP, or in the server. */
export interface Door {
  readonly name: string
  /** @throws an error in its JSON form */
  call(method: string, ...args: readonly unknown[]): Promise<unknown>
}

interface HttpRequest {
  readonly verb: string
  readonly id?: unknown
  readonly data?: unknown
  readonly params?: unknown
}

const requests: Readonly<Record<string, (...args: readonly unknown[]) => HttpRequest>> = {
  find: (params) => ({ verb: 'GET', params }),
  get: (id, params) => ({ verb: 'GET', id, params }),
  create: (data, params) => ({ verb: 'POST', data, params }),
  update: (id, data, params) => ({ verb: 'PUT', id, data, params }),
  patch: (id, data, params) => ({ verb: 'PATCH', id, data, params }),
  remove: (id, params) => ({ verb: 'DELETE', id, params })
}

/** Calls the service at a URL by `fetch`. */
function httpDoor(url: string): Door {
  return {
    name: 'over HTTP',
    async call(method, ...args) {
      const { verb, id, data, params } = (requests[method] as (...args: readonly unknown[]) => HttpRequest)(...args)
      const path = typeof id === 'string' || typeof id === 'number' ? `/${encodeURIComponent(id)}` : ''
      const headers = { accept: 'application/json', ...(data !== undefined && { 'content-type': 'application/json' }) }
      const query = qs.stringify(Object(params).query, { addQueryPrefix: true })
      const body = data === undefined ? null : JSON.stringify(data)
      const response = await fetch(url + path + query, { method: verb, headers, body })
      const result = (await response.json()) as { code?: unknown }
      if (!response.ok && result.code === response.status) throw result
      if (response.status !== (method === 'create' ? 201 : 200))
        throw new Error(`${verb} ${url}${path} answered ${response.status}`)
      return result
    }
  }
}

/** Calls a registered service in the server. */
function serverDoor(service: Record<string, AnyCall>): Door {
  return {
    name: 'in the server',
    async call(method, ...args) {
      if (!(method in service)) throw new Error(`The service has no ${method}`)
      try {
        return await service[method]?.(...args)
      } catch (error) {
        throw JSON.parse(JSON.stringify(error))
      }
    }
  }
}

/** A service at `/messages` of a server of its own. */
export interface Mounted {
  readonly app: FastifyInstance
  readonly service: RegisteredService<Record<string, AnyCall>>
  readonly url: string
  readonly doors: readonly [Door, Door]
}

export async function mount(object: object, options: ServiceOptions<object> = {}): Promise<Mounted> {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(services)
  const service = app.service('messages', object, options) as RegisteredService<Record<string, AnyCall>>
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/messages`
  return { app, service, url, doors: [httpDoor(url), serverDoor(service)] }
}
