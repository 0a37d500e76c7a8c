import type { FastifySchema } from 'fastify'
import type { AroundHook, HookContext } from '../../../types/fastify.js'
import type { Query } from '../../../types/service.js'
import type { JsonSchema } from '../../../types/standard-schema.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { addRelated, includeName } from '../../core/added-fields.js'
import { callStateOf } from '../../core/call-state.js'
import {
  addingParameters,
  type Describable,
  removedFields,
  responsesIn,
  servicesAdded
} from '../../core/description.js'
import { BadRequest } from '../../core/errors.js'
import { checkNamedFields, methodsWith, shapesOf } from '../../core/field-names.js'
import { type AddedFields, aroundOnly, forbidAsHook, type HookPosition, withTraits } from '../../core/hooks.js'
import { isPlain } from '../../core/objects.js'
import { checkOptions, hintFor, inspect, kinds, type OptionTable } from '../../core/options.js'
import { entryOf, type ServiceHost, serviceHostOf } from '../../core/plugin-state.js'
import { rulesOf } from '../../core/resource/method-rules.js'
import { kindBits } from '../../schema/reader.js'
import { resolveToJson } from '../../schema/to-json.js'
import { isStream } from '../../shared/streams.js'
import { checkPlaceholders, lookUpService } from './as-caller.js'
import { changeRecords, isRecord } from './records.js'
import { findRelated, type RelatedTo } from './related-records.js'
import { isOddName } from './scope.js'
import { selectAround } from './selection.js'

/** The records of another service that belong to a record. */
export interface Relation {
  /** The name of the other service. */
  service: string
  /**
   * The field of the record with the id of the other one, or with a list of ids. Default: the name
   * of the relation with `Id`.
   */
  field?: string
  /** The field of the other records with the id of this one, which then has a list of them. */
  by?: string
  /** Conditions and the order of the other records: `{ state: 'public', $sort: { at: -1 } }`. */
  query?: Query
}

/** Options of `include()`. */
export interface IncludeOptions {
  /** The most relations of a path such as `comments.author`. Default 2. */
  depth?: number
}

const relationOptions: OptionTable<Relation> = {
  service: kinds.filled,
  field: kinds.filled,
  by: kinds.filled,
  query: kinds.plain
}
const includeOptions: OptionTable<IncludeOptions> = { depth: kinds.whole }

/** A relation, and what every relation needs. */
interface NamedRelation extends Relation {
  readonly name: string
  /** The field of the record. `undefined`: its id. */
  readonly field?: string
}

/** The related records that a query asks for, by name, with the paths of those within them. */
type Asked = ReadonlyMap<NamedRelation, string[]>

/**
 * Creates an around hook that adds records of other services to each record, if the query of `find`
 * or `get` has `$include`. It asks the `find` of each service once for a whole page, as the caller:
 * by its route, with all its guards, hooks and schemas. What the caller may not see is `null`, or
 * is not in the list.
 *
 * @param relations the name of the other service by relation, or a `Relation`
 * @returns a hook for `around`; it throws BadRequest for an unknown relation, one that is too deep,
 * and more than 1000 related records
 * @throws for a relation or an option that is not known or of another type; when the server starts,
 * if it is no around hook, the other service has no `find` for clients, or a schema lacks a field
 * @example
 * const related = include({ author: 'users', comments: { service: 'comments', by: 'postId' } })
 * app.service('posts').hooks({ around: { all: [related] } })
 * // GET /posts/1?$include[]=author → { id: 1, title: 'Hi', authorId: 7, author: { id: 7, name: 'Ann' } }
 */
export function include(
  relations: Readonly<Record<string, string | Relation>>,
  options: IncludeOptions = {}
): AroundHook {
  checkOptions('include()', includeOptions, options)
  const named = readRelations(relations)
  const { depth = 2 } = options
  const hook: AroundHook = async (context, next) => {
    const { params, method, path } = context
    const asked: unknown = params.query?.[includeName]
    if (asked === undefined) return next()
    if (method !== 'find' && method !== 'get') throw new BadRequest(`'${includeName}' is for 'find' and 'get'`)
    const wanted = readAsked(asked, named, depth, path)
    callStateOf(context).addsFields = true
    const { [includeName]: _, ...query } = params.query ?? {}
    context.params = { ...params, query }
    const idField = idFieldOf(context.service)
    const fieldOf = ({ field = idField }: NamedRelation) => field
    await selectAround(context, [...wanted.keys()].map(fieldOf), async () => {
      await next()
      const isClient = params.provider !== undefined
      const { result, dispatch } = context
      const sent = isClient && dispatch !== undefined ? dispatch : result
      if (isStream(sent)) throw new BadRequest(`'${includeName}' can't be used here: '${path}' answers with a stream`)
      const copies: Record<string, unknown>[] = []
      const answer = changeRecords(sent, (input) => copyRecord(input, copies), method === 'find')
      await Promise.all(
        [...wanted].map(async ([relation, within]) => {
          const values = copies.map((record) => record[fieldOf(relation)])
          const relatedTo = await findRelated(params, relatedServiceOf(context, relation), {
            ...relation,
            within,
            values
          })
          for (const [index, record] of copies.entries())
            addRelated(record, relation.name, addedTo(values[index], relation, relatedTo))
        })
      )
      context.result = answer
      if (isClient && dispatch !== undefined) context.dispatch = answer
    })
  }
  const checkType = aroundOnly('include')
  const check = (position: HookPosition) => {
    checkType(position)
    checkIsOnly(position)
    for (const relation of named.values()) checkRelation(hook, relation, position)
  }
  const describeAdded = (position: HookPosition): AddedFields => describeRelations(named, position)
  const added = (position: HookPosition, value: unknown): readonly string[] =>
    [...readAsked(value, named, depth, position.path)].flatMap(([relation, within]) => {
      const target = relatedServiceOf(position, relation)
      return [target.path, ...(within.length > 0 ? servicesAdded(target, { [includeName]: within }) : [])]
    })
  return withTraits(hook, { readsAnswer: true, parameter: includeName, describeAdded, servicesAdded: added, check })
}

forbidAsHook(include, "include({ author: 'users' })")

/** @throws for a relation that is not known, or of another type */
function readRelations(relations: unknown): ReadonlyMap<string, NamedRelation> {
  if (!isPlain(relations) || Object.keys(relations).length === 0)
    throw new TypeError(
      `include needs relations with the names of other services: include({ author: 'users' }), got ${inspect(relations)}`
    )
  const named = Object.entries(relations).map(([name, target]) => {
    if (isOddName(name) || name in Object.prototype)
      throw new TypeError(`include can't have the relation '${name}': only the name of a field`)
    const { service = target } = Object(target) as Partial<Relation>
    if (!kinds.filled[1](service))
      throw new TypeError(
        `include needs the name of the other service: include({ ${name}: 'users' }), got ${inspect(service)}`
      )
    const relation = (typeof target === 'string' ? { service } : target) as Relation
    checkOptions('include()', relationOptions, relation, `${name}.`)
    const { field, by, query = {} } = relation
    if (field !== undefined && by !== undefined)
      throw new TypeError(
        `include({ ${name} }) has 'field' and 'by': 'field' is a field of the record, 'by' one of the other records`
      )
    if ('$select' in query || '$limit' in query || '$skip' in query)
      throw new TypeError(`The option \`${name}.query\` of include() takes conditions and $sort`)
    return { ...relation, name, ...(by === undefined && { field: field ?? `${name}Id` }) }
  })
  return new Map(named.map((relation) => [relation.name, relation]))
}

/** @throws when the service has another hook of this kind, which would refuse the relations of this one */
function checkIsOnly(position: HookPosition): void {
  const entry = entryOf(position)
  const isTwice = ['find', 'get'].some(
    (name) => entry && addingParameters(entry, name).filter((parameter) => parameter === includeName).length > 1
  )
  if (isTwice) throw new Error(`'${position.path}' has include() twice: give one of them all relations`)
}

/** @throws when the other service can't be asked, or a schema lacks a field */
function checkRelation(hook: AroundHook, relation: NamedRelation, position: HookPosition): void {
  const { name, field, by, service, query = {} } = relation
  const { path } = position
  const own = entryOf(position)
  const where = `include({ ${name}: '${service}' }) at '${path}'`
  const target = relatedServiceOf(position, relation)
  if (!target.exposed.includes('find'))
    throw new Error(`${where}: clients can't call 'find' of that service, and related records are found as the caller`)
  checkPlaceholders(target.path, path, where)
  if (own === undefined) return
  if (shapesOf(own, 'find')?.some((shape) => shape.field(name).isKnown))
    throw new Error(`${where}: the records have a field '${name}' themselves. Choose another name`)
  const hint = field === `${name}Id` ? `. Name its field: { service: '${service}', field: … }` : ''
  const readable = rulesOf(own.options.schema?.find)?.query.select
  if (field !== undefined && (readable?.includes(field) === false || removedFields(own, 'find').includes(field)))
    throw new Error(`${where}: clients don't get the field '${field}'${hint}`)
  if (field !== undefined) checkNamedFields(hook, { who: 'include', fields: [field], where: 'stored' }, position)
  const filters = rulesOf(target.options.schema?.find)?.query.filters
  const conditions = [by ?? idFieldOf(target.object), ...Object.keys(query).filter((field) => !field.startsWith('$'))]
  const lacking = conditions.find(
    (field) => filters?.has(field) === false || removedFields(target, 'find').includes(field)
  )
  if (lacking !== undefined) throw new Error(`${where}: queries of '${service}' can't filter by '${lacking}'`)
  for (const method of ['find', 'get'])
    if (methodsWith(hook, own).includes(method)) checkPlainSchemas(own, method, name, where)
}

/** @throws when JSON Schemas of the application would remove the parameter or the related records */
function checkPlainSchemas({ options }: Describable, method: string, name: string, where: string): void {
  const schema = options.schema?.[method]
  if (rulesOf(schema) !== undefined) return
  const { querystring, response }: FastifySchema = Object(schema)
  if (Object(querystring).additionalProperties === false && lacks(querystring, includeName))
    throw new Error(`${where}: the schema of queries of '${method}' lacks '${includeName}'`)
  const answers = [...responsesIn(response)].filter(([status]) => status.startsWith('2'))
  if (answers.some(([, answer]) => lacks(answer, name)))
    throw new Error(`${where}: the schema of answers of '${method}' lacks '${name}'`)
}

/** Whether a JSON Schema of fields is certain to lack one. */
const lacks = (schema: unknown, field: string): boolean => {
  const { properties, additionalProperties = false } = Object(schema)
  const isCertain = !Object.keys(Object(schema)).some((keyword) => /Of$|^(\$ref|if|patternProperties)$/.test(keyword))
  return isPlain(properties) && additionalProperties === false && isCertain && !Object.hasOwn(properties, field)
}

/** @throws when there is no such service */
function relatedServiceOf(
  { app, path }: Pick<HookPosition, 'app' | 'path'>,
  { name, service }: NamedRelation
): Describable {
  const host: ServiceHost | undefined = serviceHostOf(app)
  const entry = host?.find((app as HookContext['app']).prefix, service)
  if (entry !== undefined) return entry
  const where = `include({ ${name}: '${service}' }) at '${path}'`
  lookUpService(app, service, where)
  throw new Error(`${where}: that service is none of this server`)
}

/** Describes the parameter and the related records for documents. */
function describeRelations(relations: ReadonlyMap<string, NamedRelation>, position: HookPosition): AddedFields {
  const own = entryOf(position)
  const [record] = (own && shapesOf(own, 'find')) ?? []
  const fields = [...relations].map(([name, relation]) => {
    const { field } = relation
    const related: JsonSchema = { $ref: `service:${relatedServiceOf(position, relation).path}` }
    const kinds = field === undefined ? kindBits.array : (record?.field(field).shape.kinds ?? kindBits.all)
    const isList = (kinds & ~kindBits.null) === kindBits.array
    return [name, isList ? { type: 'array', items: related } : { anyOf: [related, { type: 'null' }] }]
  })
  const names = [...relations.keys()]
  return {
    parameter: {
      type: 'array',
      items: { type: 'string' },
      description: `Related records to add: ${names.join(', ')}. Paths such as \`${names[0]}.…\` add theirs.`
    },
    fields: Object.fromEntries(fields) as AddedFields['fields']
  }
}

/**
 * Reads the parameter: names of relations, or paths such as `comments.author`.
 * @throws {BadRequest} for any other value
 */
function readAsked(value: unknown, relations: ReadonlyMap<string, NamedRelation>, depth: number, path: string): Asked {
  const refuse = (must: string) =>
    new BadRequest(`'${includeName}' of '${path}' ${must}`, { errors: { [includeName]: must } })
  const known = [...relations.keys()]
  const asked = new Map<NamedRelation, string[]>()
  for (const item of [value].flat()) {
    if (typeof item !== 'string') throw refuse(`must be a list of names: ${known.join(', ')}`)
    const names = item.split('.')
    const [name = '', ...within] = names
    const relation = relations.get(name)
    if (relation === undefined)
      throw refuse(`must name related records: ${known.join(', ')}${hintFor(name.slice(0, 40), known)}`)
    if (names.length > depth) throw refuse(`must have paths of at most ${depth} names`)
    const paths = asked.get(relation) ?? []
    if (within.length > 0) paths.push(within.join('.'))
    asked.set(relation, paths)
  }
  return asked
}

/** Copies a record, since stores may keep the objects that they return. */
function copyRecord(input: unknown, copies: Record<string, unknown>[]): unknown {
  const record = resolveToJson(input)
  if (!isRecord(record)) return record
  const copy = { ...record } as Record<string, unknown>
  copies.push(copy)
  return copy
}

/** Returns the related records of one record: a list, or one record, or `null`. */
function addedTo(value: unknown, { by }: NamedRelation, relatedTo: RelatedTo): unknown {
  if (by !== undefined) return relatedTo(value)
  return Array.isArray(value) ? value.flatMap(relatedTo) : (relatedTo(value)[0] ?? null)
}
