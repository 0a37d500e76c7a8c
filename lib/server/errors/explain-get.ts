import type { HookContext } from '../../../types/hooks.js'
import { readProperty } from '../../core/errors.js'

// In Feathers, `app.get()` reads a setting. In Fastify, it adds a route.

/** Whether Fastify has refused a route without a handler, before or after the server listens. */
const isRouteError = (error: unknown) =>
  readProperty(error, 'code') === 'FST_ERR_ROUTE_MISSING_HANDLER' ||
  (readProperty(error, 'code') === 'FST_ERR_INSTANCE_ALREADY_LISTENING' &&
    /Cannot add route/.test(String(readProperty(error, 'message'))))

const advice =
  'that of Fastify adds a route. For settings as in Feathers, register fastify-services/feathers with the option `settings`'

/** @throws an error that says where settings come from, if a hook has called `context.app.get()` */
export function explainGetInHook(error: unknown, { path, method }: HookContext): void {
  if (isRouteError(error))
    throw new Error(`A hook of ${path}.${method} has called context.app.get(): ${advice}`, { cause: error })
}

/** Returns the error to answer: one with an explanation for a call of `app.get()` in a request. */
export const explainGet = (error: unknown): unknown =>
  isRouteError(error) ? new Error(`app.get() was called without a handler: ${advice}`, { cause: error }) : error
