import { hintFor, inspect, inspectText } from '../core/options.js'
import { middlewareName } from './stack.js'

/** The option `ignoreMiddleware`: `true` for all middleware, or a list of names and functions. */
export type IgnoredMiddleware = boolean | readonly (string | ((...args: never[]) => unknown))[]

/** A middleware and its name in messages. */
interface Named {
  readonly handle: unknown
  readonly name: string
}

const option = 'The option `ignoreMiddleware` of fastify-services/feathers'

/**
 * The middleware that the option `ignoreMiddleware` names: Fastify answers services in spite of it.
 */
export class IgnoreList {
  /** Whether all middleware is ignored. */
  readonly isAll: boolean
  readonly #items: readonly unknown[]

  /** @throws if the option is neither a boolean nor a list of names and functions */
  constructor(ignored: IgnoredMiddleware) {
    const items: unknown = ignored
    const wrong = Array.isArray(items)
      ? items.filter((item) => typeof item !== 'function' && (typeof item !== 'string' || item === ''))
      : [items].filter((value) => typeof value !== 'boolean')
    if (wrong.length > 0)
      throw new Error(
        `${option} must be a boolean, or a list of names of middleware and of functions, got ${Array.isArray(items) ? `a list with ${inspect(wrong[0])}` : inspect(items)}`
      )
    this.isAll = ignored === true
    this.#items = typeof ignored === 'boolean' ? [] : ignored
  }

  remaining<N extends Named>(all: readonly N[]): readonly N[] {
    return this.isAll ? [] : all.filter((middleware) => !this.#items.some((item) => isNamedBy(item, middleware)))
  }

  /**
   * @param all the middleware of the application, including what Fastify replaces
   * @param unsupported the middleware that may have to be ignored
   * @throws if an item names no middleware, or several functions
   */
  check(all: readonly Named[], unsupported: readonly Named[]): void {
    for (const item of this.#items) {
      const handles = new Set(all.filter((middleware) => isNamedBy(item, middleware)).map(({ handle }) => handle))
      const text =
        typeof item === 'string' ? inspectText(item) : `the function ${middlewareName(item, 'without a name')}`
      if (handles.size === 0) {
        const likely = unsupported.map(({ handle }) => middlewareName(handle, ''))
        const hint = typeof item === 'string' ? hintFor(item, likely) : ''
        const names = [...new Set(unsupported.map(({ name }) => name))].join(', ') || 'none'
        throw new Error(
          `${option} names ${text}, which is no middleware of the Feathers application. There are: ${names}${hint}`
        )
      }
      if (handles.size > 1)
        throw new Error(
          `${option} names ${text}, but ${handles.size} functions of the Feathers application are called so, and one of them may be a guard: give it the functions in place of the name`
        )
    }
  }
}

const isNamedBy = (item: unknown, { handle, name }: Named) =>
  item === handle || item === name || item === middlewareName(handle, '')
