import type { IncomingMessage } from 'node:http'
import feathersExpress from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import type { Theirs } from './mounted-app.js'

/** What a middleware sees of a request, whatever its framework is. */
export interface Seen {
  readonly raw: IncomingMessage
  readonly path: string
  readonly body: unknown
  /** What becomes params of a call. */
  readonly feathers: Record<string, unknown>
  readonly header: (name: string, value: string) => void
}

/** Returns what to answer, or nothing to go on. */
export type Act = (request: Seen) => unknown

interface Use {
  use(...args: unknown[]): Use
  configure(fn: unknown): Use
}

export interface Framework {
  readonly name: 'Koa' | 'Express'
  /** Makes middleware of a name. */
  middleware(name: string, act: Act): unknown
  /** Makes an application as the CLI does. */
  create(parts?: {
    before?: readonly unknown[]
    build?: (theirs: Theirs) => unknown
    after?: readonly unknown[]
  }): Theirs
  /** Adds a service with middleware before and after it. */
  around(theirs: Theirs, path: string, service: object, before: readonly unknown[], after?: readonly unknown[]): void
}

const named = <F extends object>(name: string, value: F): F => Object.defineProperty(value, 'name', { value: name })

interface KoaContext {
  readonly req: IncomingMessage
  readonly request: { readonly body?: unknown }
  readonly path: string
  feathers: Record<string, unknown>
  body: unknown
  set(name: string, value: string): void
}

interface ExpressResponse {
  set(name: string, value: string): void
  json(value: unknown): void
}

export const onKoa: Framework = {
  name: 'Koa',
  middleware: (name, act) =>
    named(name, async (context: KoaContext, next: () => Promise<void>) => {
      context.feathers = { ...context.feathers }
      const { req: raw, path, request, feathers } = context
      const answer = await act({
        raw,
        path,
        body: request.body,
        feathers,
        header: (name, value) => void context.set(name, value)
      })
      if (answer === undefined) await next()
      else context.body = answer
    }),
  create({ before = [], build, after = [] } = {}) {
    const app = koa(feathers()) as unknown as Use
    for (const middleware of [errorHandler(), bodyParser(), ...before]) app.use(middleware)
    app.configure(rest())
    build?.(app as unknown as Theirs)
    for (const middleware of after) app.use(middleware)
    return app as unknown as Theirs
  },
  around: (theirs, path, service, before, after = []) =>
    void theirs.use(path, service, { koa: { before, after } } as object)
}

export const onExpress: Framework = {
  name: 'Express',
  middleware: (name, act) =>
    named(
      name,
      async (
        request: IncomingMessage & KoaContext & Seen,
        response: ExpressResponse,
        next: (error?: unknown) => void
      ) => {
        const { path, body, feathers } = request
        const header = (name: string, value: string) => void response.set(name, value)
        try {
          const answer = await act({ raw: request, path, body, feathers, header })
          if (answer === undefined) next()
          else response.json(answer)
        } catch (error) {
          next(error)
        }
      }
    ),
  create({ before = [], build, after = [] } = {}) {
    const { default: express, ...parts } = feathersExpress
    const app = express(feathers()) as unknown as Use
    for (const middleware of [parts.json(), parts.urlencoded({ extended: true }), ...before]) app.use(middleware)
    app.configure(parts.rest())
    build?.(app as unknown as Theirs)
    for (const middleware of [...after, parts.notFound(), parts.errorHandler({ logger: false } as object)])
      app.use(middleware)
    return app as unknown as Theirs
  },
  around: (theirs, path, service, before, after = []) =>
    void (theirs as unknown as Use).use(path, ...before, service, ...after)
}

export const frameworks: readonly Framework[] = [onKoa, onExpress]
