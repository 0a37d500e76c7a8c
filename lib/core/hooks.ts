import type { AroundHook, Hook, HookContext, HookMap, HookOptions, HookType } from '../../types/hooks.js'
import type { JsonSchema } from '../../types/standard-schema.js'
import type { ResultTracker } from './compose.js'
import type { Judgement, PossibleCall } from './possible-call.js'

/** How a request proves who calls, as a "Security Scheme Object" of OpenAPI. */
export type SecurityScheme = Readonly<Record<string, unknown>> & { readonly type: string }

/**
 * Where a hook runs, whatever the order in which hooks were added. Read when hooks are composed.
 */
interface OrderTraits {
  /** Whether an around hook runs outside even those, since it reads what the caller gets. */
  readonly readsAnswer?: boolean
  /** Whether an around hook runs outside all others, so that none of them can bypass it. */
  readonly isOutermost?: boolean
  /** Whether an around hook runs within all others, just before the method. */
  readonly isInnermost?: boolean
}

/** Read before the server starts. */
interface StartTraits {
  /** @throws if the hook can't work at that position */
  check?(position: HookPosition): void
  /** The transactions that the hook begins. */
  readonly transaction?: { readonly database: object; readonly isolationLevel?: string | undefined }
  /** Whether the hook refuses calls that send or query other fields than those of a role. */
  readonly limitsFields?: boolean
}

/** Read by guards, and by everything that has to know whether a method is guarded. */
interface GuardTraits {
  /** The instance whose services the hook guards, unless they have a guard of their own. */
  readonly guards?: object
  /**
   * Returns the security schemes that a guard accepts for a method, by their names in OpenAPI
   * documents. `undefined`: it lets all callers pass.
   */
  security?(position: HookPosition, method: string): Readonly<Record<string, SecurityScheme>> | undefined
  /**
   * Judges a call that nobody makes. A guard sets its params. Hooks of this package without it have
   * no say.
   * @throws the error with which the hook would refuse the call
   */
  judge?(call: PossibleCall): Promise<Judgement>
}

/** Read at the start, where a resource declares who may call a method, or that it needs a key. */
interface DeclarationTraits {
  /** Returns the roles that the hook knows for a method. `undefined` if it lets all callers pass. */
  rolesFor?(position: HookPosition, method: string): readonly string[] | undefined
  /** Whether it carries out the calls of a method once, by their `Idempotency-Key`. */
  takesKeys?(position: HookPosition, method: string, verb: string): boolean
}

/** Read by OpenAPI documents and by `app.printServices()`. */
interface DocumentationTraits {
  /** The fields that the hook removes from results. */
  readonly removesFields?: readonly string[]
  /**
   * Describes who may do what by a method: `admin, member (title, text)`. `undefined` if the hook
   * has no say.
   */
  describeAccess?(position: HookPosition, method: string): string | undefined
  /** Returns the headers and error statuses that the hook adds to an operation. */
  openapi?(operation: DescribedOperation, position: HookPosition): OperationDocs | undefined
}

/** Read by queries, projections and documents of `find` and `get`. */
interface QueryTraits {
  /** The parameter by which a query asks the hook to add fields to each record: `$may`. */
  readonly parameter?: string
  /** Returns the paths of the services whose records a value of the parameter adds. */
  servicesAdded?(position: HookPosition, value: unknown): readonly string[]
  /** Describes the parameter, and the fields that it adds. */
  describeAdded?(position: HookPosition): AddedFields
}

/** Fields that records have if a query asks for them. */
export interface AddedFields {
  readonly parameter: JsonSchema
  /** The schemas by field. `{ $ref: 'service:users' }` is a record of another service. */
  readonly fields: Readonly<Record<string, JsonSchema>>
}

/** Read by `may()`, which tells callers what they may do. */
interface PermissionTraits {
  /** Whether the hook calls `get`, with all its hooks, before a method of a record runs. */
  readsRecord?(service: object, method: string): boolean
}

/** The declarations of a hook of this package, besides its function. */
export interface HookTraits
  extends OrderTraits,
    StartTraits,
    GuardTraits,
    DeclarationTraits,
    DocumentationTraits,
    QueryTraits,
    PermissionTraits {}

/** A method at a URL. */
export interface DescribedOperation {
  readonly method: string
  readonly verb: string
  /** Whether the URL names one record. */
  readonly hasId: boolean
}

/** A header in an OpenAPI document. */
interface HeaderDocs {
  readonly name: string
  readonly description: string
  readonly required?: boolean
}

export interface OperationDocs {
  readonly request?: HeaderDocs
  readonly response?: HeaderDocs
  /** The statuses of errors. */
  readonly statuses?: readonly string[]
}

const traits = Symbol('traits')

/** Gives a hook its traits. */
export const withTraits = <H extends object>(hook: H, hookTraits: HookTraits): H =>
  Object.assign(hook, { [traits]: hookTraits })

export const traitsOf = (hook: unknown): HookTraits => Object(hook)[traits] ?? {}

/** Whether a hook is one of the application, so that only its code says what it does. */
export const isOwnHook = (hook: unknown): boolean => Object(hook)[traits] === undefined

/**
 * Forbids passing a factory of hooks as a hook, as in `before: protect`: the server does not start.
 *
 * @param call shows how to call the factory: `protect('password')`
 */
export const forbidAsHook = (factory: (...args: never[]) => unknown, call: string): void =>
  void withTraits(factory, {
    check({ path }) {
      throw new Error(
        `Among the hooks of '${path}' is \`${factory.name}\`, which makes hooks and is none: write ${call}`
      )
    }
  })

/** The place at which a hook was added. */
export interface HookPosition {
  readonly app: unknown
  readonly path: string
  readonly service?: unknown
  /** `undefined` for middleware and hooks of a route, or `'after'` if they run after the call. */
  readonly type?: HookType
  /** Returns the hooks that run within an around hook, for each method that it was added for. */
  within?(): ReadonlyMap<string, readonly unknown[]>
}

/** Creates the `check` of a hook that only works as an around hook. */
export const aroundOnly =
  (name: string) =>
  ({ path, type }: HookPosition): void => {
    if (type !== 'around') throw new Error(`${name} at '${path}' is a hook for 'around', not for '${type}'`)
  }

/** Before hooks as one around hook. */
const wrapBefore =
  (hooks: readonly Hook[]): AroundHook =>
  (context, next) =>
    run(hooks, context, 'before').then(next)

/** After hooks as one around hook. */
const wrapAfter =
  (hooks: readonly Hook[], tracker: ResultTracker): AroundHook =>
  async (context, next) => {
    await next()
    await run(hooks, context, 'after', tracker.trackResult)
  }

/** Error hooks as one around hook. Each may replace the error, or recover by setting a result. */
function wrapErrors(hooks: readonly Hook[]): AroundHook {
  return async (context, next) => {
    try {
      await next()
    } catch (thrown) {
      const error = errorFrom(thrown)
      context.error = error
      delete context.result
      await run(hooks, context, 'error').catch((thrown) => {
        context.error = errorFrom(thrown)
        throw context.error
      })
      context.error ??= error
      if (context.result === undefined) throw context.error
    }
  }
}

// A `context.error` of `undefined` means that there is none.
const errorFrom = (thrown: unknown) => thrown ?? new Error(`${thrown} was thrown`)

/** Runs hooks one after the other, and tracks each result, since the next hook may replace it. */
async function run(
  hooks: readonly Hook[],
  context: HookContext,
  type: HookType,
  trackResult?: ResultTracker['trackResult']
): Promise<void> {
  for (const hook of hooks) {
    const outer = context.type
    context.type = type
    const returned = hook.call(context.service, context)
    // Most hooks without `async` return nothing, and waiting is most of the cost of a hook.
    const changes = returned && (await returned)
    context.type = outer
    if (typeof changes === 'object' && changes !== context) Object.assign(context, changes)
    trackResult?.(context)
  }
}

/** A hook, with the type and the method that it was added for. */
export interface AddedHook {
  readonly type: HookType
  readonly method: string
  readonly hook: Hook | AroundHook
  /** Whether it runs around the other hooks of its service, wherever it was added. */
  isOutermost?: boolean
}

/** The hooks of one service, or of all services, in the order in which they were added. */
export class HookStore {
  readonly added: AddedHook[] = []

  /**
   * Adds hooks.
   *
   * @param who the owner of the hooks, for errors
   * @throws if a hook type is unknown, or a hook is not a function; nothing is added then
   */
  add(options: HookOptions | HookMap<unknown, 'around'>, who = 'App'): void {
    this.added.push(...Object.entries(byType(options)).flatMap(([type, map]) => hooksOfType(type, map ?? {}, who)))
  }

  /** Returns the hooks of a method as around hooks, outermost first: `all` before the method. */
  collect(method: string, tracker: ResultTracker): AroundHook[] {
    const hooksFor = <H = Hook>(type: HookType, name: string) =>
      this.added.filter((added) => added.type === type && added.method === name).map(({ hook }) => hook as H)
    const wrapAny = (hooks: Hook[], wrap: (hooks: Hook[], tracker: ResultTracker) => AroundHook) =>
      hooks.length > 0 ? [wrap(hooks, tracker)] : []
    const names = ['all', method]
    return [
      ...names.flatMap((name) => hooksFor<AroundHook>('around', name)),
      ...names.flatMap((name) => [
        ...wrapAny(hooksFor('error', name), wrapErrors),
        ...wrapAny(hooksFor('before', name), wrapBefore)
      ]),
      ...wrapAny(
        names.flatMap((name) => hooksFor('after', name)),
        wrapAfter
      )
    ]
  }
}

/** The around hooks of a method, in the order in which they run. */
export function aroundHooksOf(store: HookStore, method: string): AddedHook[] {
  const added = hooksInOrder(store, 'around', method)
  return [...added.filter(({ isOutermost }) => isOutermost), ...added.filter(({ isOutermost }) => !isOutermost)]
}

/** The hooks of a type for a method, those for `all` methods first. */
export const hooksInOrder = ({ added }: HookStore, type: string, method: string): AddedHook[] =>
  ['all', method].flatMap((name) => added.filter((hook) => hook.type === type && hook.method === name))

/** Composes the error hooks of a method: those for `all` methods run around those for this one. */
export function composeErrorHooks({ added }: HookStore, method: string): AroundHook {
  const wrapFor = (name: string) =>
    wrapErrors(added.filter((entry) => entry.type === 'error' && entry.method === name).map(({ hook }) => hook as Hook))
  const [outer, inner] = [wrapFor('all'), wrapFor(method)]
  return (context, next) => outer(context, async () => inner(context, next) as Promise<void>)
}

export const hookTypes: readonly string[] = ['around', 'before', 'after', 'error']
export const isHookType = (type: string): type is HookType => hookTypes.includes(type)

// As in Feathers, options that name no hook type are around hooks: a list, or lists by method.
function byType(options: HookOptions | HookMap<unknown, 'around'>): HookOptions {
  const isTyped = Object.keys(options).some(isHookType)
  return isTyped ? (options as HookOptions) : { around: options as HookMap<unknown, 'around'> }
}

function hooksOfType(type: string, map: HookMap, who: string): AddedHook[] {
  if (!isHookType(type)) throw new Error(`${who}: unknown hook type or method '${type}'`)
  const byMethod = typeof map === 'function' || Array.isArray(map) ? { all: map } : map
  return Object.entries(byMethod as Record<string, Hook | Hook[]>).flatMap(([method, hooks]) =>
    [hooks].flat().map((hook) => {
      if (typeof hook !== 'function') throw new Error(`${who}: hooks of '${method}' must be functions`)
      return { type, method, hook }
    })
  )
}
