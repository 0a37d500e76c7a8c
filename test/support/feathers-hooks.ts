import { feathers } from '@feathersjs/feathers'
import type { Test } from 'tap'
import { createApp } from './core.js'

// Hooks written for Feathers 5 as plain functions: the same ones run in an application of @feathersjs/feathers and in ours.

/** What hooks of both may look at. */
export interface Context {
  app: unknown
  service: unknown
  path: string
  method: string
  type: string
  event: string | null
  id?: unknown
  data?: unknown
  params: Record<string, unknown>
  arguments: unknown[]
  result?: unknown
  dispatch?: unknown
  error?: unknown
  http?: object
  statusCode?: number | undefined
}
export type Act = (context: Context) => unknown
/** What hooks do, by their labels. */
export type Acts = Record<string, Act>
type Service = Record<string, (...args: unknown[]) => Promise<unknown>> & {
  on(event: string, listener: (...args: unknown[]) => void): unknown
  hooks(hooks: object): unknown
}
/** Starts an application with a service and hooks for all services. */
export type Start = (t: Test, object: object, common: object) => Promise<{ app: unknown; service: Service }>

export const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']

export const starts = {
  async feathers(_t: Test, object: object, common: object) {
    const app = feathers()
    app.use('things', object as never, { methods })
    app.hooks(common as never)
    return { app, service: app.service('things') as unknown as Service }
  },
  async ours(t: Test, object: object, common: object) {
    const { app } = await createApp(t, { hooks: common })
    return { app, service: app.service('/things/', object, { methods: methods as never[] }) as unknown as Service }
  }
}

/** Hooks of all types, for all methods and for one, which say what they saw and then do what the scenario wants. */
function createHooks(
  level: string,
  method: string,
  see: (label: string, self: unknown, context: Context) => void,
  acts: Acts
) {
  const plain = (type: string, name: string) =>
    function (this: unknown, context: Context) {
      const label = `${level} ${type} ${name}`
      see(label, this, context)
      return acts[label]?.(context)
    }
  const around = (name: string) =>
    async function (this: unknown, context: Context, next: () => Promise<void>) {
      const label = `${level} around ${name}`
      see(`${label} in`, this, context)
      const early = acts[`${label} early`]
      try {
        if (early !== undefined) return await early(context)
        await acts[`${label} in`]?.(context)
        await next()
        see(`${label} out`, this, context)
        return await acts[`${label} out`]?.(context)
      } catch (error) {
        see(`${label} caught ${String(error)}, context.error ${String(context.error)}`, this, context)
        const recover = acts[`${label} caught`]
        if (recover === undefined) throw error
        return await recover(context)
      }
    }
  const both = <H>(create: (name: string) => H) => ({
    all: [create('all'), create('all 2')],
    [method]: [create(method), create(`${method} 2`)]
  })
  return {
    around: both(around),
    before: both((name) => plain('before', name)),
    after: both((name) => plain('after', name)),
    error: both((name) => plain('error', name))
  }
}

const copy = <T>(value: T): T => structuredClone(value)

/** Runs a call, and tells all that could be seen of it. */
export async function run(t: Test, start: Start, method: string, args: unknown[], acts: Acts) {
  const order: string[] = []
  const fields: unknown[] = []
  const events: unknown[] = []
  let started: Awaited<ReturnType<Start>> | undefined
  const see = (label: string, self: unknown, context: Context) => {
    const {
      app,
      service,
      path,
      method,
      type,
      event,
      id,
      data,
      params,
      result,
      dispatch,
      error,
      http = {},
      statusCode
    } = context
    order.push(label)
    fields.push({
      ...copy({
        label,
        path,
        method,
        type,
        event,
        id,
        data,
        params,
        arguments: context.arguments,
        result,
        dispatch,
        http,
        statusCode
      }),
      error: error === undefined ? undefined : String(error),
      identity: [self === started?.service, service === started?.service, app === started?.app]
    })
  }
  const answer =
    (name: string) =>
    async (...args: unknown[]) => {
      order.push(`method ${name}`)
      const act = acts.method
      return act === undefined ? { answer: copy(args) } : act(args as never)
    }
  const object = Object.fromEntries(methods.map((name) => [name, answer(name)]))
  started = await start(t, object, createHooks('app', method, see, acts))
  const { service } = started
  service.hooks(createHooks('service', method, see, acts))
  for (const event of ['created', 'updated', 'patched', 'removed', 'archived'])
    service.on(event, (record) => events.push([event, copy(record)]))
  const call = service[method] as (...args: unknown[]) => Promise<unknown>
  const outcome = await call.apply(service, copy(args)).then(
    (result) => ({ result }),
    (error: Error) => ({ error: { name: error.name, message: error.message } })
  )
  return { order, fields, events, outcome }
}
