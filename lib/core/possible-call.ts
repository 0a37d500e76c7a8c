import type { HookContext } from '../../types/hooks.js'

/** Tests a record that the caller may see. */
export interface RecordTest {
  /** The fields that the test reads. */
  readonly fields: readonly string[]
  /** Whether the rule lets calls for a record pass. `undefined`: only the call itself can tell. */
  passes(record: Readonly<Record<string, unknown>>): boolean | undefined
}

/**
 * The judgement of a rule about a call that nobody makes: whether the caller may make it, with
 * which fields, or for which records. `undefined`: only the call itself can tell.
 */
export type Judgement = boolean | readonly string[] | RecordTest | undefined

interface RuleAnswer {
  readonly params: unknown
  readonly value?: unknown
  readonly error?: unknown
}

/** The answers that hold for all methods, by rule, and the params that rules get. */
export class SharedAnswers {
  readonly byRule = new Map<object, RuleAnswer>()
  /** Whether a rule has read what each call chooses for itself: its id, its data or its query. */
  readsCall = false
  readonly #views = new Map<object, object>()

  /** Returns params without their query. Copies of them leave it out. */
  viewOf(params: object): object {
    const view = this.#views.get(params) ?? this.#createView(params)
    this.#views.set(params, view).set(view, view)
    return view
  }

  #createView(params: object): object {
    const { query: _, ...others } = params as { query?: unknown }
    const get = () => {
      this.readsCall = true
      return {}
    }
    return Object.defineProperty(others, 'query', { get })
  }
}

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

  /**
   * @param call the call whose caller asks
   * @param params of the caller
   */
  constructor(call: Context, method: string, params: object, shared: SharedAnswers) {
    this.method = method
    this.#shared = shared
    let current = shared.viewOf(params)
    this.context = new Proxy(call, {
      get: (_call, name) => {
        if (name === 'params') return current
        if (name === 'method') this.#readsMethod = true
        if (name === 'method') return method
        if (name !== 'id' && name !== 'data' && name !== 'arguments') return Reflect.get(call, name)
        shared.readsCall = true
        return undefined
      },
      set(_call, name, value) {
        if (name === 'params') current = shared.viewOf(value)
        // The state of the call has a symbol as its name. Nothing else in the call changes.
        return typeof name === 'symbol' ? Reflect.set(call, name, value) : true
      }
    })
  }

  /**
   * Calls a function of a rule. If it doesn't read the method, the other methods share its answer.
   * @returns `undefined` if the answer depends on the id, the data or the query of a call
   * @throws the error of the function, unless it depends on them
   */
  async ask<T>(rule: object, read: (context: Context) => T | Promise<T>): Promise<T | undefined> {
    const { params } = this.context
    const shared = this.#shared
    let answer = shared.byRule.get(rule)
    if (answer === undefined || answer.params !== params) {
      this.#readsMethod = false
      shared.readsCall = false
      answer = await this.#answer(params, read)
      if (shared.readsCall) answer = { params }
      if (!this.#readsMethod) shared.byRule.set(rule, answer)
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
