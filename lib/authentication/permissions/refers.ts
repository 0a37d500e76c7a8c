import type { AroundHook, CallerContext, HookContext } from '../../../types/fastify.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { Forbidden, toServiceError } from '../../core/errors.js'
import { checkNamedFields } from '../../core/field-names.js'
import { aroundOnly, forbidAsHook, type HookPosition, withTraits } from '../../core/hooks.js'
import { isPlain } from '../../core/objects.js'
import { checkOptions, inspect, kinds, type OptionTable } from '../../core/options.js'
import { toBadRequest } from '../../core/resource/issues.js'
import { type Issue, maxIssues, type Path } from '../../schema/issue.js'
import { hasAlias } from '../stored-credentials.js'
import { checkPlaceholders, getAsCaller, type OtherService, otherServiceOf, unlessRefused } from './as-caller.js'
import { isRecord, recordsIn } from './records.js'
import { isOddName, isScopeValue } from './scope.js'
import { selectsByQuery } from './selection.js'

/** The records that a field may refer to. */
export interface Reference {
  /** The name of the other service. */
  service: string
  /** Whether a record that the caller may see can be chosen. Default: each of them. */
  accepts?(record: Readonly<Record<string, unknown>>, context: CallerContext): boolean | Promise<boolean>
}

/** Options of `refers()`. */
export interface RefersOptions {
  /** Whether it applies to calls of the server itself, too. Default `false`. */
  internal?: boolean
}

const referenceOptions: OptionTable<Reference> = { service: kinds.filled, accepts: kinds.function }
const refersOptions: OptionTable<RefersOptions> = { internal: kinds.flag }

/**
 * Creates an around hook that checks the ids of other records in the data of calls over HTTP
 * (docs/permissions.md#fields-that-refer-to-other-records). It gets each record from its service as
 * the caller would. A field has an id or a list of ids, compared as text; `null` refers to nothing.
 * Put it after `allow` and `scope`, which may change the data.
 *
 * @param fields the name of the other service for each field, or a `Reference`
 * @returns a hook for `around`. It throws BadRequest if a record does not exist, the caller may not
 * see it, or `accepts` returns false: all with the same message
 * @throws if there are no fields, or an option is unknown or has the wrong type; when the server
 * starts, if it is no around hook, the other service or its `get` does not exist, or a schema has
 * no such field
 * @example
 * const toDoctor = refers({ doctorId: { service: 'users', accepts: ({ role }) => role === 'doctor' } })
 * app.service('slots').hooks({ around: { all: [inClinic, toDoctor] } })
 */
export function refers(fields: Readonly<Record<string, string | Reference>>, options: RefersOptions = {}): AroundHook {
  if (!isPlain(fields) || Object.keys(fields).length === 0)
    throw new TypeError(
      `refers needs fields with the names of other services: refers({ doctorId: 'users' }), got ${inspect(fields)}`
    )
  checkOptions('refers()', refersOptions, options)
  const fieldsByTarget = new Map<string | Reference, string[]>()
  for (const [field, target] of Object.entries(fields)) {
    checkTarget(field, target)
    fieldsByTarget.set(target, [...(fieldsByTarget.get(target) ?? []), field])
  }
  const references = [...fieldsByTarget].map(([target, fields]) => ({
    fields,
    ...(typeof target === 'string' ? { service: target } : target)
  }))
  const hook: AroundHook = async (context, next) => {
    if (context.params.provider !== undefined || options.internal === true) {
      for (const reference of references) {
        const issues = await issuesOf(context, reference)
        if (issues.length > 0) throw toBadRequest('body', issues)
      }
    }
    return next()
  }
  const checkType = aroundOnly('refers')
  const check = (position: HookPosition) => {
    checkType(position)
    for (const reference of references) serviceOf(position, reference)
    const where = options.internal === true ? 'stored' : 'sent'
    checkNamedFields(hook, { who: 'refers', fields: Object.keys(fields), where }, position)
  }
  return withTraits(hook, { check })
}

forbidAsHook(refers, "refers({ doctorId: 'users' })")

function checkTarget(field: string, target: unknown): void {
  if (isOddName(field)) throw new TypeError(`refers can't have the field '${field}': only fields of the record itself`)
  const { service = target } = Object(target) as Partial<Reference>
  if (!kinds.filled[1](service))
    throw new TypeError(
      `refers needs the name of the other service: refers({ ${field}: 'users' }), got ${inspect(service)}`
    )
  if (typeof target !== 'string') checkOptions('refers()', referenceOptions, target as Reference, `${field}.`)
}

type FieldsReference = Reference & { readonly fields: readonly string[] }

/** @throws when the service does not exist, has no `get`, or needs a placeholder that is missing */
function serviceOf({ app, path }: Pick<HookPosition, 'app' | 'path'>, { service, fields }: FieldsReference) {
  const where = `refers({ ${fields[0]}: '${service}' }) at '${path}'`
  checkPlaceholders(service, path, where)
  return otherServiceOf(app, service, where)
}

async function issuesOf(context: HookContext, reference: FieldsReference): Promise<Issue[]> {
  const ids = [...idsIn(context.data, reference.fields)]
  if (ids.length === 0) return []
  const byText = new Map(ids.filter(({ id }) => isScopeValue(id)).map(({ id }) => [String(id), id]))
  const refused = await refusedOf(context, reference, byText)
  return ids
    .filter(({ id }) => !isScopeValue(id) || refused.has(String(id)))
    .map(({ path }) => ({
      path,
      keyword: 'refers',
      must: `must be the id of a record of '${reference.service}' that you can choose`
    }))
}

/** Yields the ids in data, with their places. */
function* idsIn(data: unknown, fields: readonly string[]): Generator<{ readonly path: Path; readonly id: unknown }> {
  for (const [index, record] of [data].flat().entries()) {
    if (!isRecord(record)) continue
    for (const field of fields) {
      if (hasAlias(record, field)) throw new Forbidden(`'${field}' can only be sent under this name`)
      const value: unknown = Reflect.get(record, field)
      for (const [item, id] of [value].flat().entries())
        if (id !== undefined && id !== null)
          yield { path: [...(Array.isArray(data) ? [index] : []), field, ...(Array.isArray(value) ? [item] : [])], id }
    }
  }
}

/** Returns the ids that the caller can't choose: as many as an error can list. */
async function refusedOf(
  context: CallerContext,
  { accepts = () => true, ...reference }: FieldsReference,
  ids: ReadonlyMap<string, unknown>
): Promise<ReadonlySet<string>> {
  const service = serviceOf(context, reference)
  const idField = idFieldOf(service)
  const refused = new Set<string>()
  for (const part of partsOf([...ids])) {
    const $in = part.map(([, id]) => id)
    const found = $in.length > 1 ? await findAsCaller(service, { [idField]: { $in } }, context) : []
    const byId = new Map(found?.map((record) => [String(Object(record)[idField]), Object(record)]))
    // After an id of another type, PostgreSQL reads nothing more in the same transaction.
    const afterRefusal = (error: unknown) => {
      if (found !== undefined && refused.size === 0) throw error
      return undefined
    }
    for (const [id] of part) {
      // A list lacks records whose ids have another type, and a role may `get` what it may not `find`.
      const record = byId.get(id) ?? (await getAsCaller(service, id, context.params).catch(afterRefusal))
      const isSame = record !== undefined && isSameId(record[idField] ?? id, id)
      if (!isSame || !(await accepts(record, context))) refused.add(id)
      if (refused.size === maxIssues) return refused
    }
    if (found === undefined && refused.size > 0) return refused
  }
  return refused
}

// PostgreSQL takes 65,535 values in a statement. If it refuses one, each id costs a `get`.
const maxPart = 100

/** Yields a list in parts. */
function* partsOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += maxPart) yield list.slice(start, start + maxPart)
}

/**
 * Whether a record that was asked for by an id has it. PostgreSQL and MongoDB take hexadecimal ids
 * in capitals, too, and return small letters.
 */
const isSameId = (stored: unknown, id: string): boolean =>
  String(stored) === id || (/^[\da-f-]{24,36}$/i.test(id) && String(stored) === id.toLowerCase())

/**
 * Finds records of an adapter of Feathers. Other services may not select by the query. Returns
 * `undefined` if the store refuses an id.
 */
async function findAsCaller(service: OtherService, query: object, { params }: HookContext) {
  if (!selectsByQuery(service)) return []
  try {
    const found = service.find({ ...params, query, paginate: false })
    return recordsIn(await unlessRefused(found, [403, 405])) ?? []
  } catch (error) {
    if ([400, 404].includes(toServiceError(error).code)) return undefined
    throw error
  }
}
