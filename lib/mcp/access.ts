import type { FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { rulesAround } from '../core/description.js'
import { Forbidden, type ServiceError, toServiceError } from '../core/errors.js'
import { traitsOf } from '../core/hooks.js'
import type { Caller } from '../core/http-call.js'
import { loginsInParams } from '../core/logins.js'
import { PossibleCall, SharedAnswers } from '../core/possible-call.js'
import { propertiesOf } from '../core/request-state.js'
import type { ServiceMethod } from '../core/service.js'
import { RestParams } from '../server/request/arguments.js'
import type { SelectedMethod } from './selection.js'

/** Whether some callers may call a method, and others may not. */
export const dependsOnCaller = ({ entry, method: { name } }: SelectedMethod): boolean =>
  rulesAround(entry, name).some((rule) => {
    const { security } = traitsOf(rule)
    return security === undefined || security(entry, name) !== undefined
  })

interface Outcome {
  /** The error with which a call would be refused, whatever its arguments are. */
  readonly refusal?: ServiceError
  readonly params: object
}

/** Finds out which methods the caller of a request may call, without calling them. */
export class Access {
  readonly #caller: Caller
  readonly #shared = new SharedAnswers()
  readonly #params: object

  constructor(request: FastifyRequest, caller: Caller) {
    this.#caller = caller
    // Roles may depend on the route, which only the call has.
    const get = () => {
      this.#shared.readsCall = true
      return undefined
    }
    const route = new Proxy({}, { get })
    this.#params = new RestParams({}, request.headers, route, propertiesOf(request), caller)
  }

  /** Returns the error with which a call would be refused, whatever its arguments are. */
  async refusalOf(method: SelectedMethod): Promise<ServiceError | undefined> {
    return (await this.#ask(method)).refusal
  }

  /** Returns a key that is equal for calls of one user. `undefined` if nobody is logged in. */
  async identityFor(method: SelectedMethod): Promise<string | undefined> {
    const { params } = await this.#ask(method)
    const identities = loginsInParams(params).map(({ identity }) => identity ?? null)
    return identities.length === 0 ? undefined : JSON.stringify(identities)
  }

  async #ask({ entry, method }: SelectedMethod): Promise<Outcome> {
    const { definition, context: createContext } = entry.methods.get(method.name) as ServiceMethod
    const values = { id: null, data: {}, params: this.#params }
    const context = createContext(definition.arguments.map((name) => values[name]))
    this.#caller.context = context
    const call = new PossibleCall(context, method.name, this.#params, this.#shared)
    const outcome = (refusal?: ServiceError): Outcome => ({
      params: call.context.params as object,
      ...(refusal && { refusal })
    })
    for (const rule of rulesAround(entry, method.name)) {
      try {
        if ((await traitsOf(rule).judge?.(call as PossibleCall<HookContext>)) === false)
          return outcome(new Forbidden(`'${method.name}' of '${entry.path}' is not for this user`))
      } catch (error) {
        const refusal = toServiceError(error)
        // An outage of a guard must not look like a missing permission.
        const isGuard = traitsOf(rule).security !== undefined
        if (isGuard || refusal.code === 401 || refusal.code === 403) return outcome(refusal)
      }
    }
    return outcome()
  }
}
