import { likelyName, shown, shownText } from '../core/options.js'
import { nameOf } from './stack.js'

/**
 * What the option `ignoreMiddleware` takes: `true` for all middleware, or a list of names and
 * functions.
 */
export type IgnoredMiddleware = boolean | readonly (string | ((...args: never[]) => unknown))[]

/** A middleware with what messages call it. */
interface Named {
  readonly handle: unknown
  readonly name: string
}

const option = 'The option `ignoreMiddleware` of fastify-services/feathers'

/** The middleware of an application that is no concern: Fastify answers services in spite of it. */
export class Ignored {
  /** Whether no middleware is a concern. */
  readonly isAll: boolean
  readonly #items: readonly unknown[]

  /** @throws when it is something else */
  constructor(ignored: IgnoredMiddleware) {
    const items: unknown = ignored
    const wrong = Array.isArray(items)
      ? items.filter((item) => typeof item !== 'function' && (typeof item !== 'string' || item === ''))
      : [items].filter((value) => typeof value !== 'boolean')
    if (wrong.length > 0)
      throw new Error(
        `${option} must be a boolean, or a list of names of middleware and of functions, got ${Array.isArray(items) ? `a list with ${shown(wrong[0])}` : shown(items)}`
      )
    this.isAll = ignored === true
    this.#items = typeof ignored === 'boolean' ? [] : ignored
  }

  /** What is left of a list of middleware. */
  without<N extends Named>(all: readonly N[]): readonly N[] {
    return this.isAll ? [] : all.filter((middleware) => !this.#items.some((item) => isOf(item, middleware)))
  }

  /**
   * @param all is the middleware of the application, also what is replaced here
   * @param concerns are those of them that a list may have to name
   * @throws when the list names what is not there, or what several functions are called
   */
  check(all: readonly Named[], concerns: readonly Named[]): void {
    for (const item of this.#items) {
      const handles = new Set(all.filter((middleware) => isOf(item, middleware)).map(({ handle }) => handle))
      const text = typeof item === 'string' ? shownText(item) : `the function ${nameOf(item, 'without a name')}`
      if (handles.size === 0) {
        const names = [...new Set(concerns.map(({ name }) => name))]
        const likely =
          typeof item === 'string'
            ? likelyName(
                item,
                concerns.map(({ handle }) => nameOf(handle, ''))
              )
            : undefined
        const hint = likely === undefined ? '' : `. Did you mean '${likely}'?`
        throw new Error(
          `${option} names ${text}, which is no middleware of the Feathers application. There are: ${names.join(', ') || 'none'}${hint}`
        )
      }
      if (handles.size > 1)
        throw new Error(
          `${option} names ${text}, but ${handles.size} functions of the Feathers application are called so, and one of them may be a guard: give it the functions in place of the name`
        )
    }
  }
}

const isOf = (item: unknown, { handle, name }: Named) => item === handle || item === name || item === nameOf(handle, '')
