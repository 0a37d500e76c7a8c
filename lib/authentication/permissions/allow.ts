import type { AroundHook, CallerContext, HookContext } from '../../../types/fastify.js'
import type { AnyUser } from '../../../types/identity.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { restrictSentFields } from '../../core/adapters/update.js'
import { keepAdded } from '../../core/added-fields.js'
import { callStateOf } from '../../core/call-state.js'
import { Forbidden, GeneralError } from '../../core/errors.js'
import { aroundOnly, forbidAsHook, type HookPosition, withTraits } from '../../core/hooks.js'
import { isViewOf } from '../../core/logins.js'
import { methods } from '../../core/methods.js'
import { isPlain } from '../../core/objects.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { Judgement, PossibleCall } from '../../core/possible-call.js'
import { rulesAt } from '../../core/resource/registered-rules.js'
import { isForLogins } from '../../core/service-meta.js'
import { maxIssues } from '../../schema/issue.js'
import { resolveToJson } from '../../schema/to-json.js'
import { isStream, mapStream } from '../../shared/streams.js'
import { toSpelling } from '../protect.js'
import { checkFieldNames, type FieldList } from './allowed-fields.js'
import { checkQuery, createParameterCheck, maxNameLength, quoteNames } from './allowed-query.js'
import { checkExceptions, checkMethodNames, isExcepted } from './exceptions.js'
import { isRecord, mapRecords } from './records.js'
import { requireUser } from './user.js'

/**
 * Whether a role may call a method: with all fields, or with some, which it may send to `create`,
 * `update` and `patch`, and gets from the other methods.
 */
type Permission = boolean | Fields
type Fields = readonly string[]

/** The permissions of a role: `true` for everything, or by method. Other methods are forbidden. */
export type Permissions = boolean | Readonly<Record<string, Permission | undefined>>

/** Options of `allow()`. */
export interface AllowOptions {
  /**
   * The role of a user, or a list of roles, of which one is enough; it may return a promise.
   * Default: the field `role` or `roles`.
   */
  role?: (user: AnyUser, context: CallerContext) => unknown
  /** Whether it applies to calls of the server itself, too. Default `false`. */
  internal?: boolean
  /**
   * The exceptions: services, methods of services, and methods of any service: `['countries',
   * 'posts.find', 'stats']`. Default: none.
   */
  except?: readonly string[]
}

const allowOptions: OptionTable<AllowOptions> = { role: kinds.function, internal: kinds.flag, except: kinds.names }

/**
 * Creates an around hook with the permissions of each role over HTTP, by method and by field
 * (docs/permissions.md#roles). It refuses a write with a forbidden field, and a query that names
 * one. Reads return only the allowed fields. Writes, and custom methods of a record, return the
 * fields that the role may `get`, or else `find`, or else the fields that it sent.
 *
 * @param roles the permissions by role
 * @returns a hook for `around`, of one service or of all. It throws NotAuthenticated if no guard
 * has identified the caller, and Forbidden if the role may not do it
 * @throws if no role is named, or a permission or an option has the wrong type; when the server
 * starts, if it is no around hook, or names a method that no service has
 * @example
 * const member = { find: true, get: true, create: true, patch: ['title', 'text'] }
 * app.service('posts').hooks({ around: { all: [allow({ admin: true, member })] } })
 */
export function allow(roles: Readonly<Record<string, Permissions>>, options: AllowOptions = {}): AroundHook {
  const permissions = new RolePermissions(roles)
  checkOptions('allow()', allowOptions, options)
  const roleOf = options.role ?? (({ role, roles }) => role ?? roles)

  const isFree = ({ params, path, service }: HookContext, method: string) => {
    const isForCaller = params.provider !== undefined || options.internal === true
    return !isForCaller || isExcepted({ path, method }, options.except) || isForLogins(service)
  }
  const rolesOf = async (context: HookContext): Promise<string[]> =>
    roleNamesIn(await roleOf(requireUser(context).user, context))

  const hook: AroundHook = async (context, next) => {
    if (isFree(context, context.method)) return next()
    const declared = declaredRoles(context, context.method)
    const answered = checkCall(context, await rolesOf(context), permissions, declared)
    if (answered === true) return next()
    callStateOf(context).answeredFields = answered
    await next()
    projectResult(context, answered)
  }
  const judge = async (call: PossibleCall<HookContext>): Promise<Judgement> => {
    const { context, method } = call
    if (isFree(context, method)) return true
    const userRoles = await call.ask(hook, rolesOf)
    return userRoles && permissions.combine(userRoles, method, declaredRoles(context, method))
  }
  const checkType = aroundOnly('allow')
  const check = (position: HookPosition) => {
    checkType(position)
    for (const names of permissions.methodNames) checkMethodNames('allow', names, position)
    checkExceptions('allow', options.except, position)
    checkFieldNames(hook, permissions.lists, position)
  }
  const applies = ({ path }: HookPosition, method: string) => !isExcepted({ path, method }, options.except)
  const describeAccess = (position: HookPosition, method: string) =>
    applies(position, method) ? permissions.describe(method, declaredRoles(position, method)) : undefined
  const rolesFor = (position: HookPosition, method: string) =>
    applies(position, method) ? permissions.roleNames : undefined
  return withTraits(hook, { check, judge, describeAccess, rolesFor, limitsFields: permissions.lists.length > 0 })
}

/** Returns the roles for which a resource has declared a custom method. */
const declaredRoles = (position: HookPosition, method: string): readonly string[] =>
  methods.has(method) ? [] : (rulesAt(position, method)?.custom?.allow ?? [])

forbidAsHook(allow, 'allow({ admin: true })')

/** The roles in a value: a text, or a list with texts. */
const roleNamesIn = (value: unknown): string[] =>
  [value].flat().filter((role): role is string => typeof role === 'string')

/** The permissions of all roles. */
class RolePermissions {
  /** The fields that any role is allowed, in one spelling. */
  readonly fields: ReadonlySet<string>
  readonly #roles: Readonly<Record<string, Permissions>>

  /** @throws when no role is named, and for permissions of another kind */
  constructor(roles: Readonly<Record<string, Permissions>>) {
    const names = isPlain(roles) ? Object.keys(roles) : []
    if (names.length === 0)
      throw new Error('allow needs the permissions of each role: allow({ admin: true, member: { find: true } })')
    for (const name of names) checkRole(name, roles[name])
    this.#roles = roles
    const permissions = names.flatMap((name) => Object.values(Object(roles[name])))
    this.fields = new Set(permissions.filter(Array.isArray).flat().map(toSpelling))
  }

  get roleNames(): readonly string[] {
    return Object.keys(this.#roles)
  }

  /** The lists of fields of each role. */
  get lists(): FieldList[] {
    return Object.entries(this.#roles).flatMap(([role, permissions]) =>
      Object.entries(Object(permissions)).flatMap(([method, fields]) =>
        Array.isArray(fields) ? [{ role, method, fields }] : []
      )
    )
  }

  /** The methods that each role names. */
  get methodNames(): string[][] {
    return Object.values(this.#roles).map((permissions) => Object.keys(Object(permissions)))
  }

  /** Returns the combined permission of some roles for a method. */
  combine(roles: readonly string[], method: string, declared: readonly string[] = []): Permission {
    return union(roles.map((role) => this.#permissionOf(role, method, declared)))
  }

  /** The permission that a role has, or else the one that the resource declares for the method. */
  #permissionOf(role: string, method: string, declared: readonly string[]): Permission {
    const permissions = Object.hasOwn(this.#roles, role) ? this.#roles[role] : false
    if (!isPlain(permissions)) return permissions === true
    return Object.hasOwn(permissions, method) ? (permissions[method] ?? false) : declared.includes(role)
  }

  /** The roles that may call a method, in words for documents: `admin, member (title, text)`. */
  describe(method: string, declared: readonly string[]): string {
    const allowed = this.roleNames.flatMap((role) => {
      const permission = this.#permissionOf(role, method, declared)
      if (permission === false) return []
      return [permission === true ? role : `${role} (${permission.join(', ')})`]
    })
    return allowed.join(', ') || 'nobody'
  }

  refusal({ method, path }: HookContext, userRoles: readonly string[], declared: readonly string[]): Forbidden {
    const able = this.roleNames.filter((role) => this.#permissionOf(role, method, declared) !== false)
    const who =
      userRoles.length === 0
        ? 'without a role'
        : `with the role${userRoles.length === 1 ? '' : 's'} ${quoteNames(userRoles.slice(0, maxIssues))}`
    return new Forbidden(
      `'${method}' of '${path}' is not for a user ${who}${able.length > 0 ? `: it needs ${able.join(' or ')}` : ''}`
    )
  }
}

/**
 * Checks the method, the sent fields and the query of a call.
 * @returns the fields that the caller gets, `true` for all
 * @throws {Forbidden} if no role allows it
 */
function checkCall(
  context: HookContext,
  userRoles: readonly string[],
  permissions: RolePermissions,
  declared: readonly string[]
): true | Fields {
  const { method, service } = context
  const permission = permissions.combine(userRoles, method, declared)
  if (permission === false) {
    // A user who logs in gets at least their id.
    if (isViewOf(context.params, context)) return [idFieldOf(service)]
    throw permissions.refusal(context, userRoles, declared)
  }
  if (methodsWithData.has(method)) checkSentFields(context, permission)
  if (method === 'update' && permission !== true) restrictSentFields(context, (field) => permission.includes(field))
  const readable = returnsRecord(context, permission)
    ? permissions.combine(userRoles, 'get') || permissions.combine(userRoles, 'find')
    : permission
  if (readable === true) return true
  checkQuery(context, readable || [idFieldOf(service)], createParameterCheck(context, permissions.fields))
  return readable || sentFields(context)
}

const methodsWithData = new Set(['create', 'update', 'patch'])

/**
 * Whether a method returns a record as `get` does, and its permission names no fields for that:
 * writes, and custom methods of a record.
 */
const returnsRecord = ({ method, id }: HookContext, permission: Permission): boolean =>
  methodsWithData.has(method) ||
  method === 'remove' ||
  (!methods.has(method) && permission === true && id !== undefined)

/** Returns the fields for a role that may not read: the fields that it sent, and the id. */
const sentFields = ({ data, service }: HookContext): Fields => [
  ...new Set([idFieldOf(service), ...[data].flat().flatMap((record) => Object.keys(Object(record)))])
]

/** @throws for an invalid permission, which would forbid what it seems to allow */
function checkRole(role: string, permissions: unknown): void {
  if (typeof (permissions ?? false) === 'boolean') return
  if (!isPlain(permissions))
    throw new Error(`allow needs the methods of the role '${role}': { find: true, patch: ['title'] }, or true for all`)
  for (const [method, permission] of Object.entries(permissions))
    if (typeof (permission ?? false) !== 'boolean' && !isTextList(permission))
      throw new Error(`allow needs true or a list of fields for '${method}' of the role '${role}': ['title', 'text']`)
}

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((text: unknown) => typeof text === 'string')

/** Combines the permissions of several roles. */
function union(permissions: readonly Permission[]): Permission {
  if (permissions.includes(true)) return true
  const [first] = permissions
  if (permissions.length === 1 && Array.isArray(first)) return first
  const fields = permissions.flatMap((permission) => (Array.isArray(permission) ? [permission] : []))
  return fields.length > 0 && [...new Set(fields.flat())]
}

/** @throws {Forbidden} for fields that the role may not send */
function checkSentFields({ data, method, path }: HookContext, permission: true | Fields): void {
  if (permission === true) return
  const names = [data].flat().flatMap((record) => Object.keys(Object(record)))
  const forbidden = [...new Set(names)].filter((name) => !permission.includes(name)).slice(0, maxIssues)
  if (forbidden.length === 0) return
  const errors = Object.fromEntries(forbidden.map((name) => [name.slice(0, maxNameLength), 'is not allowed']))
  throw new Forbidden(
    `'${method}' of '${path}' does not allow ${quoteNames(forbidden)}: only ${quoteNames(permission)}`,
    {
      errors
    }
  )
}

/** Whether a result with `data` is a page: only methods that return many records may return one. */
const mayBePage = ({ method, id }: HookContext) => method === 'find' || (!methods.has(method) && id === undefined)

/** Removes the fields that the role may not read. Events keep the whole record. */
function projectResult(context: HookContext, fields: Fields): void {
  const value = context.dispatch === undefined ? context.result : context.dispatch
  const notRecords = () =>
    new GeneralError(`'${context.method}' of '${context.path}' gives no records: its fields can't be left out`)
  const pickFields = (input: unknown) => {
    const record = resolveToJson(input)
    if (!isRecord(record)) throw notRecords()
    const picked: Record<string, unknown> = {}
    for (const field of fields)
      if (field in record && field !== '__proto__') picked[field] = (record as Record<string, unknown>)[field]
    return keepAdded(record, picked)
  }
  // Bytes have no fields.
  if (isStream(value) && (value as { readableObjectMode?: boolean }).readableObjectMode === false) throw notRecords()
  context.dispatch = isStream(value) ? mapStream(value, pickFields) : mapRecords(value, pickFields, mayBePage(context))
  // A stream can be read only once, and callers of the server get `result`.
  if (isStream(value) || context.params.provider === undefined) context.result = context.dispatch
}
