import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import * as z from 'zod'
import type { Random } from './random-schemas.js'

/** A schema in words that zod and Valibot share, as plain data. */
export type Model =
  | { readonly is: 'text' | 'long' | 'whole' | 'number' | 'boolean' | 'null' | 'state' | 'always' }
  | { readonly is: 'object'; readonly fields: Fields; readonly others: 'dropped' | 'taken' | 'refused' }
  | { readonly is: 'list' | 'record' | 'nullable'; readonly of: Model }
  | { readonly is: 'tuple'; readonly items: readonly Model[]; readonly rest?: Model }
  | { readonly is: 'tagged'; readonly tag: string; readonly branches: readonly Fields[] }
  | { readonly is: 'union' | 'both'; readonly parts: readonly Model[] }
  | { readonly is: 'named'; readonly name: number }

type Flag = 'readOnly' | 'writeOnly'
type Fields = Readonly<Record<string, { readonly of: Model; readonly isOptional: boolean; readonly flag?: Flag }>>

/** A model of a record, and those that others refer to by their place in the list. */
export interface Models {
  readonly library: 'zod' | 'valibot'
  readonly record: Model
  readonly named: readonly Model[]
}

const names = ['a', 'b', 'c', 'd', 'secret', 'role', 'x-1', 'é']

export function createModels(random: Random): Models {
  const count = random.below(3)
  const object = (depth: number) => objectModel(random, depth, count, true)
  return {
    library: random.pick(['zod', 'valibot']),
    record: object(3),
    named: Array.from({ length: count }, () => object(2))
  }
}

function objectModel(random: Random, depth: number, count: number, hasFlags: boolean): Model {
  return {
    is: 'object',
    fields: fieldsOf(random, depth, count, hasFlags),
    others: random.pick(['dropped', 'dropped', 'taken', 'refused'])
  }
}

function fieldsOf(random: Random, depth: number, count: number, hasFlags: boolean): Fields {
  const fields = random.some(names, 0.45).map((name): [string, Fields[string]] => {
    const of = modelOf(random, depth - 1, count, hasFlags)
    // What refers to itself must have an end.
    const isOptional = JSON.stringify(of).includes('"named"') || random.chance(0.5)
    const flag = random.chance(0.12)
      ? 'writeOnly'
      : hasFlags && isPlain(of) && random.chance(0.12)
        ? 'readOnly'
        : undefined
    return [name, { of, isOptional, ...(flag && { flag }) }]
  })
  return Object.fromEntries(fields)
}

const isPlain = (model: Model) =>
  !(
    'of' in model ||
    'parts' in model ||
    'items' in model ||
    'branches' in model ||
    'fields' in model ||
    'name' in model
  )

function modelOf(random: Random, depth: number, count: number, hasFlags: boolean): Model {
  const kind = random.below(100)
  const inner = (flags = hasFlags) => modelOf(random, depth - 1, count, flags)
  if (depth <= 0 || kind < 40)
    return { is: random.pick(['text', 'text', 'long', 'whole', 'number', 'boolean', 'null', 'state', 'always']) }
  if (kind < 52) return objectModel(random, depth, count, hasFlags)
  if (kind < 60) return { is: 'list', of: inner() }
  if (kind < 64) return { is: 'record', of: inner() }
  if (kind < 69) return { is: 'nullable', of: inner() }
  if (kind < 74) return { is: 'tuple', items: [inner(), inner()], ...(random.chance(0.5) && { rest: inner() }) }
  if (kind < 82)
    return {
      is: 'tagged',
      tag: random.pick(['kind', 'x-kind']),
      branches: [1, 2, 3].map(() => fieldsOf(random, depth - 1, count, hasFlags))
    }
  // Which values a library asks for depends on the branch that it tries: only the server sets none of them.
  if (kind < 88) return { is: 'union', parts: [inner(false), objectModel(random, depth - 1, 0, false)] }
  if (kind < 94)
    return {
      is: 'both',
      parts: [objectModel(random, depth - 1, count, false), objectModel(random, depth - 1, count, false)]
    }
  return count === 0 ? { is: 'text' } : { is: 'named', name: random.below(count) }
}

const branchName = (index: number) => ['one', 'two', 'three'][index] as string

/** The schema of zod. */
function toZod(models: Models): z.ZodObject {
  const named: z.ZodType[] = []
  const fields = (fields: Fields, more: Record<string, z.ZodType> = {}): Record<string, z.ZodType> => {
    const shape = { ...more }
    for (const [name, { of, isOptional, flag }] of Object.entries(fields)) {
      // zod reads what refers to something later by a getter.
      const get = () => {
        const schema = flag === undefined ? toType(of) : toType(of).meta({ [flag]: true })
        return isOptional ? schema.optional() : schema
      }
      Object.defineProperty(shape, name, { enumerable: true, configurable: true, get })
    }
    return shape
  }
  const toType = (model: Model): z.ZodType => {
    if (model.is === 'object') {
      const make = { dropped: z.object, taken: z.looseObject, refused: z.strictObject }[model.others]
      return make(fields(model.fields))
    }
    if (model.is === 'list') return z.array(toType(model.of))
    if (model.is === 'record') return z.record(z.string(), toType(model.of))
    if (model.is === 'nullable') return toType(model.of).nullable()
    if (model.is === 'tuple') {
      const tuple = z.tuple(model.items.map(toType) as [z.ZodType])
      return model.rest === undefined ? tuple : tuple.rest(toType(model.rest))
    }
    if (model.is === 'tagged') {
      const branches = model.branches.map((branch, index) =>
        z.object(fields(branch, { [model.tag]: z.literal(branchName(index)) }))
      )
      return z.discriminatedUnion(model.tag, branches as [z.ZodObject])
    }
    if (model.is === 'union') return z.union(model.parts.map(toType))
    if (model.is === 'both') return z.intersection(toType(model.parts[0] as Model), toType(model.parts[1] as Model))
    if (model.is === 'named') return named[model.name] as z.ZodType
    return scalars[model.is]()
  }
  const scalars = {
    text: () => z.string(),
    long: () => z.string().min(3).max(40),
    whole: () => z.int().min(0),
    number: () => z.number(),
    boolean: () => z.boolean(),
    null: () => z.null(),
    state: () => z.enum(['draft', 'final']),
    always: () => z.literal('always')
  }
  for (const model of models.named) named.push(toType(model))
  return toType(models.record) as z.ZodObject
}

/** The schema of Valibot, whose metadata become keywords of JSON Schema. */
function toValibot(models: Models) {
  const named: v.GenericSchema[] = []
  const fields = (fields: Fields): Record<string, v.GenericSchema> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, { of, isOptional, flag }]) => {
        const plain = toType(of)
        const schema: v.GenericSchema = flag === undefined ? plain : v.pipe(plain, v.metadata({ [flag]: true }))
        return [name, isOptional ? v.optional(schema) : schema]
      })
    )
  const toType = (model: Model): v.GenericSchema => {
    if (model.is === 'object') {
      const ownFields = fields(model.fields)
      return model.others === 'dropped'
        ? v.object(ownFields)
        : model.others === 'taken'
          ? v.looseObject(ownFields)
          : v.strictObject(ownFields)
    }
    if (model.is === 'list') return v.array(toType(model.of))
    if (model.is === 'record') return v.record(v.string(), toType(model.of))
    if (model.is === 'nullable') return v.nullable(toType(model.of))
    if (model.is === 'tuple') {
      const items = model.items.map(toType)
      return model.rest === undefined ? v.tuple(items) : v.tupleWithRest(items, toType(model.rest))
    }
    if (model.is === 'tagged')
      return v.variant(
        model.tag,
        model.branches.map((branch, index) =>
          v.object({ ...fields(branch), [model.tag]: v.literal(branchName(index)) })
        )
      )
    if (model.is === 'union') return v.union(model.parts.map(toType))
    if (model.is === 'both') return v.intersect(model.parts.map(toType))
    if (model.is === 'named') return v.lazy(() => named[model.name] as v.GenericSchema)
    return scalars[model.is]()
  }
  const scalars = {
    text: () => v.string(),
    long: () => v.pipe(v.string(), v.minLength(3), v.maxLength(40)),
    whole: () => v.pipe(v.number(), v.integer(), v.minValue(0)),
    number: () => v.number(),
    boolean: () => v.boolean(),
    null: () => v.null(),
    state: () => v.picklist(['draft', 'final']),
    always: () => v.literal('always')
  }
  for (const model of models.named) named.push(toType(model))
  return toType(models.record) as v.ObjectSchema<v.ObjectEntries, undefined>
}

// By itself Valibot does not say that an object is open.
const opened = ({ valibotSchema, jsonSchema }: { valibotSchema: { type: string }; jsonSchema: object }) =>
  valibotSchema.type === 'loose_object' ? { ...jsonSchema, additionalProperties: true } : undefined

type Validate = (value: unknown) => { readonly value?: unknown; readonly issues?: readonly unknown[] | undefined }

interface LibrarySchema {
  readonly schema: unknown
  readonly jsonSchema: (side: 'input' | 'output') => Record<string, unknown>
  /** Judges a whole record. */
  readonly validate: Validate
  /** Judges a part of one, where the library makes a schema of that. */
  readonly validatePart?: Validate
}

/** A schema of a library, and what it says by itself. */
export function createLibrarySchema(models: Models): LibrarySchema {
  if (models.library === 'zod') {
    const schema = toZod(models)
    const toValidate =
      (type: z.ZodType): Validate =>
      (value) => {
        const { data, error } = type.safeParse(value)
        return error === undefined ? { value: data } : { issues: error.issues }
      }
    return {
      schema,
      jsonSchema: (side) => z.toJSONSchema(schema, { target: 'draft-07', io: side }),
      validate: toValidate(schema),
      validatePart: toValidate(schema.partial())
    }
  }
  const type = toValibot(models)
  const schema = toStandardJsonSchema(type)
  const { validate, jsonSchema } = schema['~standard']
  return {
    schema,
    jsonSchema: (side) => jsonSchema[side]({ target: 'draft-07', libraryOptions: { overrideSchema: opened } }),
    validate: validate as Validate,
    validatePart: v.partial(type)['~standard'].validate as Validate
  }
}
