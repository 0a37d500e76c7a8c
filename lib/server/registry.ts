import { hintFor } from '../core/options.js'
import { joinPath, stripSlashes } from '../core/path.js'
import { hookApplicationOf } from '../core/plugin-state.js'
import { metaOf } from '../core/service-meta.js'
import type { ExposedService } from './routing/exposed.js'

interface WithLifecycle {
  setup?(app: unknown, path: string, server: unknown): unknown
  teardown?(app: unknown, path: string): unknown
}

/**
 * Where a function was called, as file, line and column; `undefined` where there is no such stack.
 */
const placeIn = ({ stack }: { readonly stack?: string }): string | undefined =>
  /^ +at (?:.*\()?(?:file:\/\/)?(.+:\d+:\d+)\)?$/m.exec(String(stack))?.[1]

/** The services of an application by path, with their set-up and tear-down. */
export class Registry {
  readonly #entries = new Map<string, ExposedService>()
  /** The stacks of the registrations, by path. Nobody pays for a text of them unless it is read. */
  readonly #stacks = new Map<string, { readonly stack?: string }>()
  #server: unknown
  /** Whether the set-up has run: from then on nothing can be registered. */
  ready = false

  /** The services, in the order of registration. */
  get entries(): readonly ExposedService[] {
    return [...this.#entries.values()]
  }

  /** The service at a whole path. */
  at(path: string): ExposedService | undefined {
    return this.#entries.get(path)
  }

  /**
   * @param caller the function that users call: the stack begins below it
   * @throws when the path is taken, or the server is ready
   */
  add(
    path: string,
    create: () => ExposedService,
    caller: Parameters<typeof Error.captureStackTrace>[1]
  ): ExposedService {
    const existing = this.#entries.get(path)
    if (existing !== undefined) {
      const { origin } = metaOf(existing.object).mounted ?? {}
      const place = placeIn(this.#stacks.get(path) as object)
      const where = origin ? `, by ${origin}` : place ? `, at ${place}` : ''
      throw new Error(
        `A service '${path}' is registered already${where}: choose another path, or look it up by app.service('${path}')`
      )
    }
    if (this.ready)
      throw new Error(`The service '${path}' comes too late: register services before the server is ready`)
    const entry = create()
    this.#entries.set(path, entry)
    const registration = {}
    Error.captureStackTrace(registration, caller)
    this.#stacks.set(path, registration)
    return entry
  }

  /** The service at a path, under the prefix or without it. */
  find(prefix: string, path: string): ExposedService | undefined {
    // Most instances have no prefix, and code looks services up for each call.
    const fullPath = prefix === '' ? path : joinPath(prefix, path)
    return this.#entries.get(fullPath) ?? this.#entries.get(stripSlashes(path))
  }

  /** The error where there is no service at a path. */
  missing(path: string): Error {
    const paths = [...this.#entries.keys()]
    const name = stripSlashes(path)
    const registered = paths.map((other) => `'${other}'`).join(', ') || 'none'
    return new Error(`There is no service '${name}'. Registered: ${registered}${hintFor(name, paths)}`)
  }

  /**
   * Names the server that the set-up is to be run with.
   * @throws when it has run already
   */
  useServer(server: unknown): void {
    if (this.ready)
      throw new Error(
        'The services are set up already: call app.setup(server) in place of app.ready(), before inject() and listen()'
      )
    this.#server = server
  }

  /**
   * Asks the hooks of all services whether they can work, then runs `setup(app, path, server)` of
   * each, in the order of registration.
   */
  async setup(server: unknown): Promise<void> {
    this.ready = true
    for (const entry of this.entries) entry.start()
    for (const { object, app, path } of this.entries)
      await (object as WithLifecycle).setup?.(hookApplicationOf(app), path, this.#server ?? server)
  }

  /**
   * Runs `teardown(app, path)` of each service, last registered first. One that fails does not stop
   * the others.
   */
  async teardown(): Promise<void> {
    const errors: unknown[] = []
    for (const { object, app, path } of this.entries.toReversed()) {
      try {
        await (object as WithLifecycle).teardown?.(hookApplicationOf(app), path)
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0)
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'The teardown of services failed')
  }
}
