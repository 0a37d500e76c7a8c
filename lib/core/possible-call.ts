import type { HookContext } from '../../types/hooks.js'

/** Tests a record that the caller may see. */
export interface RecordTest {
  /** The fields that the test reads. */
  readonly fields: readonly string[]
  /** Whether the rule lets calls for a record pass. `undefined`: only the call itself can tell. */
  passes(record: Readonly<Record<string, unknown>>): boolean | undefined
}

/**
 * What a rule says about a call that nobody makes: whether the caller may make it, with which
 * fields, or for which records. `undefined`: only the call itself can tell.
 */
export type Judgement = boolean | readonly string[] | RecordTest | undefined

interface RuleAnswer {
  readonly params: unknown
  readonly value?: unknown
  readonly error?: unknown
}

/** The answers that hold for all methods, by rule. */
export type SharedAnswers = Map<object, RuleAnswer>

/** A call that nobody makes. Rules are asked whether the caller may make it. */
export class PossibleCall<Context extends { readonly params?: unknown } = HookContext> {
  readonly method: string
  /**
   * The context that functions of rules get. It has no id and no data. A proxy, because V8 slows the
   * context of the call down if another object inherits from it.
   */
  readonly context: Context
  readonly #shared: SharedAnswers
  #readsMethod = false
  #readsCall = false

  /**
   * @param call the call whose caller asks
   * @param params of the caller
   */
  constructor(call: Context, method: string, params: object, shared: SharedAnswers) {
    this.method = method
    this.#shared = shared
    let current: unknown = params
    this.context = new Proxy(call, {
      get: (_call, name) => {
        if (name === 'params') return current
        if (name === 'method') this.#readsMethod = true
        if (name === 'method') return method
        if (name !== 'id' && name !== 'data' && name !== 'arguments') return Reflect.get(call, name)
        this.#readsCall = true
        return undefined
      },
      set(_call, name, value) {
        if (name === 'params') current = value
        // The state of the call has a symbol as its name. Nothing else in the call changes.
        return typeof name === 'symbol' ? Reflect.set(call, name, value) : true
      }
    })
  }

  /**
   * Calls a function of a rule. If it doesn't read the method, the other methods share its answer.
   * @returns `undefined` if the answer depends on the id or the data of a call
   * @throws the error of the function, unless it depends on them
   */
  async ask<T>(rule: object, read: (context: Context) => T | Promise<T>): Promise<T | undefined> {
    const { params } = this.context
    let answer = this.#shared.get(rule)
    if (answer === undefined || answer.params !== params) {
      this.#readsMethod = false
      this.#readsCall = false
      answer = await this.#answer(params, read)
      if (this.#readsCall) answer = { params }
      if (!this.#readsMethod) this.#shared.set(rule, answer)
    }
    if ('error' in answer) throw answer.error
    return answer.value as T | undefined
  }

  async #answer(params: unknown, read: (context: Context) => unknown): Promise<RuleAnswer> {
    try {
      return { params, value: await read(this.context) }
    } catch (error) {
      return { params, error }
    }
  }
}
