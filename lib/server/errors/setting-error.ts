import type { HookContext } from '../../../types/hooks.js'
import { readProperty } from '../../core/errors.js'

/** What Fastify says of a route without a handler, before it listens and then. */
const isAboutRoute = (error: unknown) =>
  readProperty(error, 'code') === 'FST_ERR_ROUTE_MISSING_HANDLER' ||
  (readProperty(error, 'code') === 'FST_ERR_INSTANCE_ALREADY_LISTENING' &&
    /Cannot add route/.test(String(readProperty(error, 'message'))))

const advice =
  'that of Fastify adds a route. For settings as in Feathers, register fastify-services/feathers with the option `settings`'

/**
 * @throws for the error of a hook that asks for a setting, as those for Feathers do: it says where
 * settings come from
 */
export function explainSetting(error: unknown, { path, method }: HookContext): void {
  if (isAboutRoute(error))
    throw new Error(`A hook of ${path}.${method} has called context.app.get(): ${advice}`, { cause: error })
}

/**
 * The same for what is no hook, where it was thrown while a request was answered: an error to put
 * in place of one, or that one.
 */
export const explained = (error: unknown): unknown =>
  isAboutRoute(error) ? new Error(`app.get() was called without a handler: ${advice}`, { cause: error }) : error
