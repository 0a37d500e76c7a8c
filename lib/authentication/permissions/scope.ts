import type { AroundHook, CallerContext, HookContext } from '../../../types/fastify.js'
import type { Id, Query } from '../../../types/service.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { BadRequest, Forbidden, GeneralError, NotAuthenticated, NotFound, toServiceError } from '../../core/errors.js'
import { withFieldCheck } from '../../core/field-names.js'
import { aroundOnly, forbidAsHook, type HookPosition, traitsOf, withTraits } from '../../core/hooks.js'
import { factsOfRecord, type ListConditions, matches, prepareFacts } from '../../core/matching.js'
import { methods } from '../../core/methods.js'
import { isPlain, pick } from '../../core/objects.js'
import { checkFieldName, checkOptions, inspect, kinds, type OptionTable } from '../../core/options.js'
import type { Judgement, PossibleCall, RecordTest } from '../../core/possible-call.js'
import { implementationOf, isForLogins, metaOf } from '../../core/service-meta.js'
import { maxTextLength } from '../password.js'
import { hasAlias } from '../stored-credentials.js'
import { checkExceptions, isExcepted } from './exceptions.js'
import { recordsIn } from './records.js'
import { selectAround, selectsByQuery } from './selection.js'
import { requireUser } from './user.js'

type ScopeValue = string | number | bigint | boolean

/**
 * The fields of the records in a scope: a value, or a list of values of which each record has one.
 * If a value is `null` or `undefined`, the caller is refused: it would select the records of
 * nobody.
 */
export type ScopeFields = Readonly<Record<string, ScopeValue | readonly ScopeValue[] | null | undefined>>

/** Options of `scope()`. */
export interface ScopeOptions {
  /** Whether it applies to calls of the server itself, too. Default `false`. */
  internal?: boolean
  /**
   * The exceptions: services, methods of services, and methods of any service: `['countries',
   * 'posts.find', 'stats']`. Default: none.
   */
  except?: readonly string[]
  /**
   * Whether a client may choose the id of a record that it creates. Default `false`, because some
   * stores replace the record with that id.
   */
  clientIds?: boolean
}

export const scopeOptions: OptionTable<ScopeOptions> = {
  internal: kinds.flag,
  except: kinds.names,
  clientIds: kinds.flag
}

type FieldsOf = (context: CallerContext) => ScopeFields | true | Promise<ScopeFields | true>

/**
 * Creates an around hook that lets callers over HTTP see and change only records with certain
 * fields (docs/permissions.md#scope-records-by-a-condition). It adds the fields to queries and to
 * new records. Other records are 404. If a service has no adapter, the hook reads a record before
 * it is changed, and checks the records that the service finds.
 *
 * @param fieldsOf returns the fields for a call, or `true` for all records; it may throw, or return
 * a promise
 * @returns a hook for `around`, of one service or of all. It throws Forbidden for data of another
 * scope, NotFound for records of another scope, and GeneralError if a service returns such records
 * @throws if there is no function, or an option is unknown or has the wrong type; when the server
 * starts, if it is no around hook, or `except` names a service that does not exist
 * @example
 * const ofOrganisation = scope(({ params }) => ({ organisationId: params.user?.organisations }))
 * app.service('issues').hooks({ around: { all: [ofOrganisation] } })
 */
export function scope(fieldsOf: FieldsOf, options: ScopeOptions = {}): AroundHook {
  if (typeof fieldsOf !== 'function')
    throw new TypeError(
      `scope needs a function that returns the fields of a record: scope(({ params }) => ({ organisationId: params.user?.organisationId })), got ${inspect(fieldsOf)}`
    )
  checkOptions('scope()', scopeOptions, options)
  return createScope('scope', fieldsOf, options)
}

forbidAsHook(scope, 'scope(({ params }) => ({ organisationId: params.user?.organisationId }))')

/** Creates the hook of a scope. @param hookName the name of the function that users call */
export function createScope(hookName: string, fieldsOf: FieldsOf, options: ScopeOptions): AroundHook {
  const isHeld = ({ params, path, service }: CallerContext, method: string) =>
    (params.provider !== undefined || options.internal === true) &&
    !isExcepted({ path, method }, options.except) &&
    !isForLogins(service)
  const hook: AroundHook = async (context, next) => {
    if (!isHeld(context, context.method)) return next()
    const fields = await fieldsOf(context)
    if (fields === true) return next()
    await new ScopedCall(context, checkFields(fields, context), options).run(next)
  }
  const judge = async (call: PossibleCall<CallerContext>): Promise<Judgement> => {
    if (!isHeld(call.context, call.method)) return true
    return call.ask(hook, async (asked) => {
      const fields = await fieldsOf(asked)
      return fields === true || toTest(checkFields(fields, asked))
    })
  }
  const access = ({ path }: HookPosition, method: string) =>
    isExcepted({ path, method }, options.except) ? undefined : 'records of the caller'
  const checkType = aroundOnly(hookName)
  const check = (position: HookPosition) => {
    checkType(position)
    checkExceptions(hookName, options.except, position)
    const inner = [...(position.within?.().values() ?? [])].flat()
    if (inner.some((other) => traitsOf(other).limitsFields))
      throw new Error(
        `${hookName} at '${position.path}' runs before allow, which refuses the fields that ${hookName} adds: put allow first`
      )
  }
  const readsRecord = (service: object, method: string) => !methods.has(method) || !selectsByQuery(service)
  return withTraits(hook, { check, describeAccess: access, judge, readsRecord })
}

/**
 * Creates a `scope` of the records that belong to the caller.
 * @param field the field of a record that holds the id of its user
 * @returns a hook for `around`; it throws NotAuthenticated if no guard has found out who calls
 * @throws when no field is named, and as `scope` does; when the server starts, if the records have
 * no such field, as far as their schema and table show
 * @example
 * app.service('notes').hooks({ around: { all: [own('userId')] } })
 */
export function own(field: string, options: ScopeOptions = {}): AroundHook {
  checkFieldName('own', field, 'userId')
  if (isOddName(field)) throw new TypeError(`own can't have the field '${field}': only fields of the record itself`)
  checkOptions('own()', scopeOptions, options)
  const hook = createScope('own', (context) => ({ [field]: requireUser(context).id }), options)
  return withFieldCheck(hook, { who: 'own', fields: [field], where: 'stored' })
}

forbidAsHook(own, "own('userId')")

type CheckedFields = Readonly<Record<string, ScopeValue | readonly ScopeValue[]>>

/**
 * @throws {GeneralError} if the fields would let all records pass; {Forbidden} if the caller has no
 * value, {NotAuthenticated} if nobody is logged in
 */
function checkFields(fields: ScopeFields, context: HookContext): CheckedFields {
  const { params, path, service } = context
  const names = Object.keys(Object(fields))
  if (names.length === 0)
    throw new GeneralError('A scope without fields would be no scope: its function must return fields, or true')
  const odd = names.find(isOddName)
  if (odd !== undefined)
    throw new GeneralError(`A scope can't have the field '${odd}': only fields of the record itself`)
  const { columns } = metaOf(implementationOf(service))
  const lacking = columns && names.find((name) => !columns.includes(name))
  if (lacking !== undefined)
    throw new GeneralError(`The scope of '${path}' names the field '${lacking}', which its table lacks`)
  const missing = names.find((name) => !isScopeChoice(fields[name]))
  if (missing === undefined) return fields as CheckedFields
  const message = `'${context.method}' of '${path}' is for callers with a value of '${missing}'`
  throw params.authenticated === true ? new Forbidden(message) : new NotAuthenticated(message)
}

/** A call within a scope. */
class ScopedCall {
  readonly #context: HookContext
  readonly #fields: CheckedFields
  readonly #options: ScopeOptions
  readonly #idField: string
  /** Whether all methods of the service keep to `params.query`. */
  readonly #isAdapter: boolean

  constructor(context: HookContext, fields: CheckedFields, options: ScopeOptions) {
    this.#context = context
    this.#fields = fields
    this.#options = options
    this.#idField = idFieldOf(context.service)
    this.#isAdapter = selectsByQuery(context.service)
  }

  run(next: () => Promise<void>): Promise<void> {
    const { method } = this.#context
    if (method === 'update' || method === 'patch') this.#checkData()
    if (method === 'find' || (this.#isAdapter && methods.has(method))) this.#narrow()
    if (this.#isAdapter && (method === 'find' || method === 'get')) return next()
    // Results of other services are compared with the scope.
    const needed = method === 'find' || method === 'get' ? Object.keys(this.#fields) : []
    return selectAround(this.#context, needed, () => this.#run(next))
  }

  #run(next: () => Promise<void>): Promise<void> {
    const { method } = this.#context
    if (method === 'create') return this.#create(next)
    if (!methods.has(method)) return this.#custom(next)
    if (this.#isAdapter) return next()
    if (method === 'find') return this.#find(next)
    return method === 'get' ? this.#get(next) : this.#change(next)
  }

  /** Adds the fields to the query. Conditions of the client on the same fields stay, too. */
  #narrow(): void {
    const { params } = this.#context
    const { $and = [], ...query }: Query = params.query ?? {}
    const queried = Object.keys(this.#fields).filter((field) => Object.hasOwn(query, field))
    const and = [...[$and].flat(), ...queried.map((field) => ({ [field]: query[field] }))]
    const narrowed = { ...query, ...conditionsOfScope(this.#fields), ...(and.length > 0 && { $and: and }) }
    this.#context.params = { ...params, query: narrowed }
  }

  async #find(next: () => Promise<void>): Promise<void> {
    await next()
    const { result, dispatch, path } = this.#context
    for (const value of dispatch === undefined ? [result] : [result, dispatch])
      if (!recordsIn(value)?.every((record) => this.#has(record)))
        throw new GeneralError(
          `'${path}' found what is no record of the scope, or lacks its fields: find must select by params.query, which has ${this.#names}`
        )
  }

  async #get(next: () => Promise<void>): Promise<void> {
    try {
      await next()
    } catch (error) {
      throw this.#toNotFound(error)
    }
    const { result, dispatch } = this.#context
    if (!this.#has(result) || (dispatch !== undefined && !this.#has(dispatch))) throw this.#notFound()
  }

  async #change(next: () => Promise<void>): Promise<void> {
    await this.#requireRecord()
    await next()
  }

  #create(next: () => Promise<void>): Promise<void> {
    const { data } = this.#context
    const toScope = (record: unknown) => {
      const hasId = Object.hasOwn(Object(record), this.#idField) || Object.hasOwn(this.#fields, this.#idField)
      if (!this.#options.clientIds && (hasId || hasAlias(record, this.#idField)))
        throw new Forbidden(`'${this.#idField}' can't be chosen here`)
      return this.#withFields(record, true)
    }
    this.#context.data = Array.isArray(data) ? data.map(toScope) : toScope(data)
    return next()
  }

  #checkData(): void {
    const { id, data, method, path } = this.#context
    const { [this.#idField]: newId } = Object(data)
    if ((newId !== undefined && !isSame(newId, id)) || hasAlias(data, this.#idField))
      throw new Forbidden(`'${this.#idField}' can't be changed here`)
    if (id === null && !this.#isAdapter) throw new Forbidden(`'${method}' of '${path}' takes one record at a time`)
    this.#context.data = this.#withFields(data, method === 'update')
  }

  /**
   * A custom method may do anything with the record of its id. Without an id, it can't be checked.
   */
  #custom(next: () => Promise<void>): Promise<void> {
    const { id, method, path } = this.#context
    if (id === undefined)
      throw new Forbidden(
        `'${method}' of '${path}' can't be held to the scope, since it has no id: name it in the option \`except\`, and let it keep to the scope itself`
      )
    return this.#change(next)
  }

  /** @throws {NotFound} when the record does not exist, or belongs to another scope */
  async #requireRecord(): Promise<void> {
    const { service, params, id, method, path } = this.#context
    if (id === null) throw new Forbidden(`'${method}' of '${path}' takes one record at a time`)
    const { get } = service as { get?: (id: Id, params: object) => Promise<unknown> }
    if (get === undefined) throw new GeneralError(`'${path}' needs a method 'get' for the scope of '${method}'`)
    const { provider, authentication, authenticated, ...internal } = params
    const record = await get.call(service, id as Id, { ...internal, query: {} }).catch((error) => {
      throw this.#toNotFound(error)
    })
    if (!this.#has(record)) throw this.#notFound()
  }

  #notFound(): NotFound {
    return new NotFound(`No record found for id '${String(this.#context.id).slice(0, maxTextLength)}'`)
  }

  /** A missing record and a record of another scope get the same message. */
  #toNotFound(error: unknown): unknown {
    return toServiceError(error).code === 404 ? this.#notFound() : error
  }

  #has(record: unknown): boolean {
    return Object.keys(this.#fields).every((field) => {
      const [choice, value] = [this.#fields[field], Object(record)[field] as unknown]
      return Array.isArray(choice) ? choice.some((candidate) => isSame(value, candidate)) : isSame(value, choice)
    })
  }

  /** Returns data with the values of the scope instead of those of the client. */
  #withFields(record: unknown, isWhole: boolean): Record<string, unknown> {
    const copy: Record<string, unknown> = { ...Object(record) }
    for (const [field, value] of Object.entries(this.#fields)) {
      if (hasAlias(record, field)) throw new Forbidden(`'${field}' can only be sent under this name`)
      const choices = [value].flat()
      if (copy[field] === undefined) {
        if (!isWhole) continue
        if (choices.length !== 1) throw new BadRequest(`'${field}' is required`, { errors: { [field]: 'is required' } })
        copy[field] = choices[0]
        continue
      }
      const choice = choices.find((candidate) => isSame(copy[field], candidate))
      if (choice === undefined) throw new Forbidden(`You may not set '${field}' to this value`)
      copy[field] = choice
    }
    return copy
  }

  get #names(): string {
    return Object.keys(this.#fields).join(' and ')
  }
}

const toTest = (scope: CheckedFields): RecordTest => {
  const fields = Object.keys(scope)
  const conditions = conditionsOfScope(scope)
  // The store compares: unless all of them would say the same, only the call itself can tell.
  const factsOf = (record: Readonly<Record<string, unknown>>) => factsOfRecord(pick(fields, (field) => record[field]))
  const [field = ''] = fields
  const value = fields.length === 1 ? scope[field] : undefined
  return {
    fields,
    passes(record) {
      // Most scopes are one id, and all stores agree about whole numbers.
      if (Number.isSafeInteger(value) && Number.isSafeInteger(record[field])) return value === record[field]
      return matches(conditions, prepareFacts(factsOf(record)))
    }
  }
}

const conditionsOfScope = (fields: CheckedFields): ListConditions =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, Array.isArray(value) ? { $in: value } : value])
  )

/** Whether a name is an operator, or a path into a field. */
export const isOddName = (name: string) => name.startsWith('$') || name.includes('.')

const isScopeChoice = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isScopeValue) : isScopeValue(value)

/**
 * Whether a database may take two values for the same: it may return a number as a text, or an id
 * as an object.
 */
const isSame = (value: unknown, other: unknown): boolean =>
  value === other || (isComparable(value) && isComparable(other) && String(value) === String(other))

const isComparable = (value: unknown) => isScopeValue(value) && typeof value !== 'boolean'

/** Whether a field can be compared with a value: a scalar, or an object that is an id. */
export const isScopeValue = (value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'function' && !Array.isArray(value) && !isPlain(value)
