import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { hooksAround } from '../core/description.js'
import { type ServiceError, toServiceError } from '../core/errors.js'
import { type HookTraits, traitsOf } from '../core/hooks.js'
import { Caller } from '../core/http-call.js'
import { loginsInParams } from '../core/logins.js'
import { propertiesOf } from '../core/request-state.js'
import type { ServiceMethod } from '../core/service.js'
import { RestParams } from '../server/request/arguments.js'
import type { SelectedMethod } from './selection.js'

/** Returns the traits that decide by the caller alone. Guards come first: they find out who calls. */
function gatesOf({ entry, method }: SelectedMethod): HookTraits[] {
  const gates = hooksAround(entry, method.name)
    .map(traitsOf)
    .filter(({ admit }) => admit !== undefined)
  const isGuard = ({ security }: HookTraits) => security !== undefined
  const guards = gates.filter((gate) => gate.security?.(entry, method.name) !== undefined)
  return [...guards, ...gates.filter((gate) => !isGuard(gate))]
}

/** Whether some callers may call a method, and others may not. */
export const dependsOnCaller = (method: SelectedMethod): boolean => gatesOf(method).length > 0

type Outcome = { readonly params: object } | { readonly refusal: ServiceError }

/** Finds out which methods the caller of a request may call, without calling them. */
export class Access {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  /** The outcome of each guard, which services share: it verifies a token once. */
  readonly #guarded = new Map<HookTraits, Promise<Outcome>>()

  /** Whether a role was asked for the id, the data, the query or the route of a call. */
  #readsCall = false

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
  }

  /** Returns the error with which a call would be refused, whatever its arguments are. */
  async refusalOf(method: SelectedMethod): Promise<ServiceError | undefined> {
    const outcome = await this.#admit(method)
    return 'refusal' in outcome ? outcome.refusal : undefined
  }

  /** Returns a key that is equal for calls of one user. `undefined` if nobody is logged in. */
  async identityFor(method: SelectedMethod): Promise<string | undefined> {
    const outcome = await this.#admit(method)
    const identities = 'params' in outcome ? loginsInParams(outcome.params).map(({ identity }) => identity ?? null) : []
    return identities.length === 0 ? undefined : JSON.stringify(identities)
  }

  async #admit(method: SelectedMethod): Promise<Outcome> {
    let outcome: Outcome = { params: {} }
    let context = this.#contextOf(method)
    for (const gate of gatesOf(method)) {
      if (gate.security === undefined) outcome = await this.#decide(gate, context)
      else {
        const passing = this.#guarded.get(gate) ?? pass(gate, context)
        this.#guarded.set(gate, passing)
        outcome = await passing
      }
      if ('refusal' in outcome) return outcome
      context = Object.assign(context, outcome)
    }
    return outcome
  }

  /** Finds out whether a gate lets the caller pass. If it reads more than the caller, only the call can tell. */
  async #decide(gate: HookTraits, context: HookContext): Promise<Outcome> {
    this.#readsCall = false
    const outcome = await pass(gate, this.#watch(context, ['id', 'data', 'arguments']))
    return this.#readsCall ? { params: context.params } : outcome
  }

  /** Returns a view of an object that notes when a value is read, by default any. */
  #watch<T extends object>(watched: T, names?: readonly string[]): T {
    return new Proxy(watched, {
      get: (target, name) => {
        if (typeof name === 'string' && (names === undefined || names.includes(name))) this.#readsCall = true
        return Reflect.get(target, name)
      }
    })
  }

  #contextOf({ entry, method }: SelectedMethod): HookContext {
    const caller = new Caller(this.#request, this.#reply.raw)
    const params = new RestParams(
      this.#watch({}),
      this.#request.headers,
      this.#watch({}),
      propertiesOf(this.#request),
      caller
    )
    const { definition, context: createContext } = entry.methods.get(method.name) as ServiceMethod
    const values = { id: null, data: {}, params }
    const context = createContext(definition.arguments.map((name) => values[name]))
    caller.context = context
    return context
  }
}

async function pass(gate: HookTraits, context: HookContext): Promise<Outcome> {
  try {
    await gate.admit?.(context)
    return { params: context.params }
  } catch (error) {
    return { refusal: toServiceError(error) }
  }
}
