import type { AroundHook, HookContext } from '../../../types/fastify.js'
import type { Query } from '../../../types/service.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { restrictSentFields } from '../../core/adapters/update.js'
import { callStateOf } from '../../core/call-state.js'
import { Forbidden, GeneralError } from '../../core/errors.js'
import { aroundOnly, forbidAsHook, type HookPosition, withTraits } from '../../core/hooks.js'
import { methods } from '../../core/methods.js'
import { isPlain } from '../../core/objects.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import { maxIssues } from '../../schema/issue.js'
import { resolveToJson } from '../../schema/to-json.js'
import { isStream, mapStream } from '../../shared/streams.js'
import { isAuthentication } from '../find.js'
import { inOneSpelling } from '../whole-rows.js'
import { checkExceptions, checkMethodNames, isLeftAlone } from './position.js'
import { type IsParameter, queryParametersOf } from './query-parameters.js'
import { isRecord, mapRecords } from './records.js'
import { entityIn } from './user.js'

/**
 * Whether a role may call a method: for all fields, or for some, which it may send to `create`,
 * `update` and `patch`, and gets of the others.
 */
type Permission = boolean | Fields
type Fields = readonly string[]

/**
 * What a role may do: everything, nothing, or what is said of each method. A method that is not
 * named is forbidden.
 */
export type Permissions = boolean | Readonly<Record<string, Permission | undefined>>

export interface AllowOptions {
  /**
   * The role of a user, or a list of roles, of which one is enough; it may return a promise.
   * Default: the field `role` or `roles`.
   */
  role?: (user: Readonly<Record<string, unknown>>, context: HookContext) => unknown
  /** Whether calls of the server itself are held to it, too. Default `false`. */
  internal?: boolean
  /**
   * What is left alone: services, methods of services, and methods of any service: `['countries',
   * 'posts.find', 'stats']`. Default: nothing.
   */
  except?: readonly string[]
}

const ofAllow: OptionTable<AllowOptions> = { role: kinds.function, internal: kinds.flag, except: kinds.names }

/**
 * An around hook that says what each role may do over HTTP, by method and by field. Fields of a
 * write that are not allowed are refused, fields of a read left out; a query can't name them
 * either. What a write answers, and a custom method of a record, has the fields that the role may
 * `get`, or else `find`, or else those that it has sent.
 *
 * @param roles the permissions by role
 * @returns a hook for `around`, of one service or of all; it throws NotAuthenticated where no guard
 * has told who calls, and Forbidden for what the role may not do
 * @throws when no role is named, and for permissions or options of another kind; when the server
 * starts, if it is no around hook, or for the name of a method that no service has
 * @example
 * app.service('posts').hooks({
 *   around: { all: [allow({ admin: true, member: { find: true, get: true, create: true, patch: ['title', 'text'] } })] }
 * })
 */
export function allow(roles: Readonly<Record<string, Permissions>>, options: AllowOptions = {}): AroundHook {
  const names = isPlain(roles) ? Object.keys(roles) : []
  if (names.length === 0)
    throw new Error('allow needs the permissions of each role: allow({ admin: true, member: { find: true } })')
  for (const name of names) checkRole(name, roles[name])
  checkOptions('allow()', ofAllow, options)
  const namedFields = new Set(
    names.flatMap((name) => Object.values(Object(roles[name])).filter(Array.isArray).flat().map(inOneSpelling))
  )
  const roleOf = options.role ?? (({ role, roles }) => role ?? roles)

  const hook: AroundHook = async (context, next) => {
    const isHeld = context.params.provider !== undefined || options.internal === true
    if (!isHeld || isLeftAlone(context, options.except) || isAuthentication(context.app, context.service)) return next()
    const { user } = entityIn(context)
    const userRoles = [await roleOf(user, context)]
      .flat()
      .filter((role) => typeof role === 'string' && Object.hasOwn(roles, role))
    const permissionFor = (method: string) =>
      union(userRoles.map((role) => permissionOf(roles[role as string], method)))
    const permission = permissionFor(context.method)
    if (permission === false) throw new Forbidden(refusalOfRole(context, userRoles as string[], roles))
    if (methodsWithData.has(context.method)) checkSentFields(context, permission)
    if (context.method === 'update' && permission !== true)
      restrictSentFields(context, (field) => permission.includes(field))
    const mayRead = givesRecord(context, permission) ? permissionFor('get') || permissionFor('find') : permission
    if (mayRead !== true)
      checkQuery(context, mayRead || [idFieldOf(context.service)], queryParametersOf(context, namedFields))
    const answered = mayRead || namesSent(context)
    if (answered !== true) callStateOf(context).answeredFields = answered
    await next()
    if (answered !== true) projectResult(context, answered)
  }
  const access = (method: string) => {
    if (options.except?.includes(method)) return undefined
    const allowed = Object.entries(roles).flatMap(([role, permissions]) => {
      const permission = permissionOf(permissions, method)
      if (permission === false) return []
      return [permission === true ? role : `${role} (${permission.join(', ')})`]
    })
    return allowed.join(', ') || 'nobody'
  }
  const checkType = aroundOnly('allow')
  const check = (position: HookPosition) => {
    checkType(position)
    for (const permissions of Object.values(roles))
      checkMethodNames('allow', Object.keys(Object(permissions)), position)
    checkExceptions('allow', options.except, position)
  }
  return withTraits(hook, { check, describeAccess: access })
}

forbidAsHook(allow, 'allow({ admin: true })')

const methodsWithData = new Set(['create', 'update', 'patch'])

/**
 * Whether a method gives a record as `get` does, and no fields are named for its answer: writes,
 * and custom methods of a record.
 */
const givesRecord = ({ method, id }: HookContext, permission: Permission): boolean =>
  methodsWithData.has(method) ||
  method === 'remove' ||
  (!methods.has(method) && permission === true && id !== undefined)

/** What a role that may not read is answered: what it has sent, and the id. */
const namesSent = ({ data, service }: HookContext): Fields => [
  ...new Set([idFieldOf(service), ...[data].flat().flatMap((record) => Object.keys(Object(record)))])
]

function permissionOf(permissions: Permissions | undefined, method: string): Permission {
  if (typeof permissions !== 'object') return permissions === true
  const permission = Object.hasOwn(permissions, method) ? permissions[method] : false
  return permission ?? false
}

/** @throws for what is no permission: it would forbid what it seems to allow */
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

/** What several roles may do together. */
function union(permissions: readonly Permission[]): Permission {
  if (permissions.includes(true)) return true
  const [first] = permissions
  if (permissions.length === 1 && Array.isArray(first)) return first
  const fields = permissions.flatMap((permission) => (Array.isArray(permission) ? [permission] : []))
  return fields.length > 0 && [...new Set(fields.flat())]
}

function refusalOfRole(
  { method, path }: HookContext,
  userRoles: readonly string[],
  roles: Readonly<Record<string, Permissions>>
): string {
  const able = Object.keys(roles).filter((role) => permissionOf(roles[role], method) !== false)
  const who = userRoles.length === 0 ? 'a user without a role that is known here' : `the role ${userRoles.join(', ')}`
  return `'${method}' of '${path}' is not for ${who}${able.length > 0 ? `: it needs ${able.join(' or ')}` : ''}`
}

/** @throws {Forbidden} for fields that the role may not send */
function checkSentFields({ data, method, path }: HookContext, permission: true | Fields): void {
  if (permission === true) return
  const names = [data].flat().flatMap((record) => Object.keys(Object(record)))
  const forbidden = [...new Set(names)].filter((name) => !permission.includes(name)).slice(0, maxIssues)
  if (forbidden.length === 0) return
  const errors = Object.fromEntries(forbidden.map((name) => [name.slice(0, maxShown), 'is not allowed']))
  throw new Forbidden(
    `'${method}' of '${path}' does not allow ${quotedNames(forbidden)}: only ${quotedNames(permission)}`,
    {
      errors
    }
  )
}

/** The operators of a query that hold no names of fields, and those that hold queries. */
const settings = new Set(['$limit', '$skip'])
const junctions = new Set(['$or', '$and'])
/** The operators of a field that hold values. */
const operators = new Set(
  '$eq $ne $gt $gte $ge $lt $lte $le $in $nin $between $notbetween $like $notlike $ilike $notilike $startswith $endswith $contains $regex $options $exists'.split(
    ' '
  )
)

/**
 * @param isFree says which names at the top are no fields
 * @throws {Forbidden} for fields that the role does not get: they could be found out by asking
 */
function checkQuery({ params, method, path }: HookContext, fields: Fields, isFree: IsParameter): void {
  const refuse = (name: string) => {
    throw new Forbidden(
      `A query of '${method}' of '${path}' can't name ${shownName(name)}: only ${quotedNames(fields)}`
    )
  }
  const check = (query: Query): void => {
    for (const [name, value] of Object.entries(Object(query))) {
      if (settings.has(name)) continue
      if (fields.includes(name)) checkValue(name, value)
      else if (junctions.has(name)) for (const part of [value].flat()) check(part as Query)
      else {
        const named = name === '$sort' ? Object.keys(Object(value)) : name === '$select' ? [value].flat() : [name]
        const unknown = named.find((field) => !fields.includes(field as string))
        if (unknown !== undefined) refuse(typeof unknown === 'string' ? unknown : name)
      }
    }
  }
  // An adapter may take the names within the value of a field for fields.
  const checkValue = (name: string, value: unknown) => {
    const operands = isPlain(value) ? Object.entries(value) : [['$eq', value] as const]
    for (const [operator, operand] of operands)
      if (!operators.has(operator.toLowerCase()) || [operand].flat(Infinity).some(isPlain))
        refuse(`${name}[${operator}]`)
  }
  check(Object.fromEntries(Object.entries(params.query ?? {}).filter(([name, value]) => !isFree(name, value))))
}

/** A record that looks like a page is one: only methods that give many may give a page. */
const mayBePage = ({ method, id }: HookContext) => method === 'find' || (!methods.has(method) && id === undefined)

/** Leaves out of the answer what the role does not get. Events have the whole record. */
function projectResult(context: HookContext, fields: Fields): void {
  const value = context.dispatch === undefined ? context.result : context.dispatch
  const noRecords = () =>
    new GeneralError(`'${context.method}' of '${context.path}' gives no records: its fields can't be left out`)
  const pickFields = (input: unknown) => {
    const record = resolveToJson(input)
    if (!isRecord(record)) throw noRecords()
    const picked: Record<string, unknown> = {}
    for (const field of fields)
      if (field in record && field !== '__proto__') picked[field] = (record as Record<string, unknown>)[field]
    return picked
  }
  // Of bytes nothing can be left out.
  if (isStream(value) && (value as { readableObjectMode?: boolean }).readableObjectMode === false) throw noRecords()
  context.dispatch = isStream(value) ? mapStream(value, pickFields) : mapRecords(value, pickFields, mayBePage(context))
  // A stream is read once, and calls of the server have no other answer.
  if (isStream(value) || context.params.provider === undefined) context.result = context.dispatch
}

// In characters. A name that a client has sent may be as long as a body.
const maxShown = 50
const shownName = (name: string) => `'${name.slice(0, maxShown)}'`
const quotedNames = (names: readonly string[]) => names.map(shownName).join(', ') || 'none'
