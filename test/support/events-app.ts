import { MemoryService } from '@feathersjs/memory'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import services, { type HookContext } from '../../index.js'
import events, { type EventsOptions } from '../../lib/events/index.js'
import { type Subscriber, subscribersTo } from './event-stream.js'

/** Says who calls by a header. */
export const readUser = (context: HookContext) => {
  const id = context.params.headers?.['x-user']
  if (id !== undefined) context.params.user = { id }
}

export interface EventsApp {
  readonly app: FastifyInstance
  /** The lines of the log, as objects. */
  readonly logs: Record<string, unknown>[]
  readonly subscribe: (url: string, headers?: Record<string, string>) => Subscriber
  /** Makes a call over HTTP. */
  call(
    method: string,
    url: string,
    payload?: object,
    headers?: Record<string, string>
  ): Promise<{ statusCode: number; body: string }>
}

/** An application that listens, with its services and the door of events. */
export async function startEvents(
  t: Test,
  register: (app: FastifyInstance) => unknown,
  options: EventsOptions,
  serverOptions: FastifyServerOptions = {}
): Promise<EventsApp> {
  const logs: Record<string, unknown>[] = []
  const logger = { level: 'warn', stream: { write: (line: string) => void logs.push(JSON.parse(line)) } }
  const app = Fastify({ logger, ...serverOptions } as object) as FastifyInstance
  await app.register(services)
  await register(app)
  await app.register(events, options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  return {
    app,
    logs,
    subscribe: subscribersTo(t, app),
    call: (method, url, payload, headers = {}) =>
      app.inject({ method: method as 'GET', url, headers, ...(payload && { payload }) })
  }
}

export const list = (path: string, query = '') => `/events?subscribe[0][path]=${path}${query}`
export const memory = (options = {}): MemoryService => new MemoryService({ multi: true, startId: 1, ...options })

interface AnyService {
  create(data: object, params?: object): Promise<unknown>
  find(params?: object): Promise<unknown>
  emit(event: string, ...args: unknown[]): unknown
}
/** A service of an application, as the server calls it. */
export const serviceAt = (app: FastifyInstance, path: string): AnyService =>
  app.service<Record<string, AnyService>>(path as never) as never
