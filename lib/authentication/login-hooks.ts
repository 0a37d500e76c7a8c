import type { AroundHook, RegisteredService } from '../../types/fastify.js'
import { outermost } from '../core/hooks.js'

/** Emits an event of the authentication service once everything around the call has succeeded. */
function emitAfter(event: string): AroundHook {
  const hook: AroundHook = async (context, next) => {
    await next()
    ;(context.service as RegisteredService).emit(event, context.result, context)
  }
  return Object.assign(hook, { [outermost]: true })
}

/** A token is not for caches (RFC 6749, section 5.1). */
const noStore: AroundHook = async (context, next) => {
  await next()
  context.http.headers = { 'Cache-Control': 'no-store', ...context.http.headers }
}

/** The hooks of every authentication service: its events `login` and `logout`, and what its answers need. */
export const loginHooks = {
  around: { all: [noStore], create: [emitAfter('login')], remove: [emitAfter('logout')] }
}
