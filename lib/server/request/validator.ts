import type { Ajv, Code, CodeKeywordDefinition, KeywordCxt } from 'ajv'
import type { JsonSchema, SchemaValue } from '../../../types/standard-schema.js'
import type { Judge } from '../../core/resource/body.js'
import type { Compile, SchemaProblem } from '../../core/resource/problem.js'
import { Bundle } from '../../schema/bundle.js'
import { checkField } from '../../schema/fields.js'
import { allShapes } from '../../schema/hidden.js'
import { isReadOnly, leastFields, type ServerFieldsByObject } from '../../schema/incoming.js'
import {
  conditionKeywords,
  hasDefinitions,
  hasOtherKeywords,
  innerPlace,
  isSchema,
  otherKeywords,
  subschemasOf,
  type UnionKeyword,
  unionKeywords
} from '../../schema/keywords.js'
import type { Shapes } from '../../schema/shape.js'
import {
  changeKeyword,
  codegen,
  countWhereItFits,
  createAjv,
  declareEvaluated,
  type Generate,
  letPass,
  needsOf
} from './ajv.js'

/** Formats of queries. A library may take, and store, what those of JSON Schema do not, as the time `12:00`: what may be stored may be asked for. */
const looseFormats = {
  time: /^\d\d:\d\d/,
  'date-time': /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/i,
  date: /^\d{4}-\d\d-\d\d$/,
  duration: /^[+-]?P/,
  email: /@/,
  ipv6: /:/,
  uri: /^[a-z][a-z\d+.-]*:/i
}

function createLooseAjv(): Ajv {
  const ajv = createAjv({ formats: new Set(), isNewer: true })
  for (const [name, format] of Object.entries(looseFormats)) ajv.addFormat(name, format)
  // Ajv compiles these keywords only beside its own formats, which are replaced here.
  for (const limit of ['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'])
    ajv.removeKeyword(limit)
  return ajv
}

/**
 * Compiles a schema at startup, if it has keywords that JSON Schema does not have, such as `id` of draft 4: Ajv refuses
 * some of them. All others are checked when a bundle is made, and compiled when a request needs them: to compile
 * a schema takes as long as all else at the start of a service.
 *
 * @param label of the method, as in `users.create`
 * @throws {TypeError} when Ajv can't compile it, with the place in the schema
 */
export function checkCompiles(label: string, schema: JsonSchema, place = ''): void {
  if (!hasOtherKeywords(schema)) return
  const bundle = new Bundle(schema)
  for (const ajv of [createAjv(needsOf(bundle)), createLooseAjv()]) {
    letPass(ajv, needsOf(bundle).formats)
    const errorOf = (part: JsonSchema): Error | undefined => {
      try {
        ajv.compile(part)
        return undefined
      } catch (error) {
        return error as Error
      }
    }
    const error = errorOf(bundle.schema)
    if (error === undefined) continue
    const at = placeOf(bundle, place, (keywords) => errorOf({ allOf: [{ type: 'object', ...keywords }] }) !== undefined)
    throw new TypeError(
      `${label}: the schema of ${at === '' ? 'the record' : `'${at}'`} can't be compiled: ${error.message}`,
      {
        cause: error
      }
    )
  }
}

/** The place of the first part of a schema whose keywords, without those of JSON Schema, are refused, or else that of the whole. */
function placeOf(bundle: Bundle, start: string, isRefused: (keywords: JsonSchema) => boolean): string {
  const places = new Map<SchemaValue, string>([[bundle.schema, start]])
  for (const [part, place] of places) {
    const add = (schema: SchemaValue, at: string) => {
      if (!places.has(schema)) places.set(schema, at)
    }
    if (!isSchema(part)) continue
    add(bundle.target(part) ?? part, place)
    for (const [schema, [keyword = '', key]] of subschemasOf(part))
      if (!hasDefinitions(keyword)) add(schema, innerPlace(place, keyword, key))
  }
  const refused = [...places].filter(([part]) => isSchema(part) && isRefused(otherKeywords(part)))
  return [...refused.map(([, place]) => place), start][0] as string
}

/** Makes what compiles schemas of values in queries. */
export function createCompile(): Compile {
  let ajv: Ajv | undefined
  return (schema) => {
    const bundle = new Bundle(schema as JsonSchema)
    ajv ??= createLooseAjv()
    letPass(ajv, needsOf(bundle).formats)
    const validate = ajv.compile(bundle.schema)
    return (value) => (validate(value) ? undefined : (validate.errors as SchemaProblem[]))
  }
}

const root = 'record'

/** Makes what judges the values of bodies by the schema of a record, as it was written. Fields that only the server sets are not asked for, and an object that has some is complete with any number of others. */
export function createJudge(shapes: Shapes): Judge {
  const { reader } = shapes
  const { bundle } = reader
  const ajv = createAjv(needsOf(bundle))
  ajv.addSchema(bundle.schema, root)
  const exemptible = exemptNames(shapes)
  // Of the value that is checked now: a check waits for nothing.
  let serverFields: ServerFieldsByObject = new Map()
  const isMissing = (value: object, name: string) =>
    !Object.hasOwn(value, name) && !serverFields.get(value)?.names.has(name)
  changeKeyword(
    ajv,
    'required',
    (context, code) => {
      const names = context.schema as readonly string[]
      context.schema = names.filter((name) => !exemptible.has(name))
      code(context)
      for (const name of names.filter((name) => exemptible.has(name))) failIfMissing(context, name, isMissing)
    },
    // Ajv skips what stands behind it where an object has no names.
    'propertyNames'
  )
  const leastOf = (value: object, least: number) => leastFields(least, serverFields.get(value))
  changeKeyword(ajv, 'minProperties', (context) => failIfFew(context, leastOf), 'required', errorOfFew)
  for (const keyword of unionKeywords)
    changeKeyword(ajv, keyword, (context, code) => checkUnion(context, keyword, shapes, code), 'allOf', errorOfUnion)
  for (const [keyword, before] of conditionKeywords)
    changeKeyword(
      ajv,
      keyword,
      (context, code) => {
        declareEvaluated(context)
        if (keyword === 'if') countWhereItFits(context)
        code(context)
      },
      before
    )
  const validators = new Map<JsonSchema, ReturnType<Ajv['compile']>>()
  const check = (schema: SchemaValue, value: unknown): readonly SchemaProblem[] | undefined => {
    if (!isSchema(schema)) return schema ? undefined : [nothingFits]
    const validate = validators.get(schema) ?? ajv.compile({ $ref: `${root}#${bundle.pointers.get(schema)}` })
    validators.set(schema, validate)
    return validate(value) ? undefined : (validate.errors as SchemaProblem[])
  }
  return {
    record(value, fieldsByObject) {
      serverFields = fieldsByObject
      return check(bundle.schema, value)
    },
    field(name, value, fieldsByObject) {
      serverFields = fieldsByObject
      return checkField(shapes.root, name, value, check)
    }
  }
}

const nothingFits: SchemaProblem = { keyword: 'false schema', instancePath: '', params: {} }

function failIfMissing(context: KeywordCxt, name: string, isMissing: (value: object, name: string) => boolean): void {
  const { _ } = codegen()
  const check = context.gen.scopeValue('func', { ref: isMissing })
  context.setParams({ missingProperty: _`${name}` })
  context.fail(_`${check}(${context.data}, ${name})`)
}

function failIfFew(context: KeywordCxt, leastOf: (value: object, least: number) => number): void {
  const { _ } = codegen()
  const { data, gen } = context
  const least = gen.const('least', _`${gen.scopeValue('func', { ref: leastOf })}(${data}, ${context.schema as number})`)
  context.setParams({ least })
  context.fail(_`Object.keys(${data}).length < ${least}`)
}

const errorOfFew: NonNullable<CodeKeywordDefinition['error']> = {
  message: 'must have more fields',
  params: ({ params }) => codegen()._`{limit: ${params.least as Code}}`
}

/** The parameters of the error of a union: its tag, where that is what is wrong. */
const errorOfUnion: NonNullable<CodeKeywordDefinition['error']> = {
  message: 'must match a schema of the union',
  params: ({ params }) => (params.ofUnion as Code | undefined) ?? codegen()._`{}`
}

/** Looks at the tag of a union first, and then at one branch: to try all branches takes twice the time for each level of a union within itself. */
function checkUnion(context: KeywordCxt, keyword: UnionKeyword, shapes: Shapes, code: Generate): void {
  declareEvaluated(context)
  const branches = context.schema as readonly SchemaValue[]
  const union = shapes.reader.unionOf(branches)
  if (union === undefined) {
    code(context)
    return
  }
  const { _, stringify } = codegen()
  const { gen, data } = context
  const { tag, branchOf } = union
  const valid = gen.let('valid', false)
  const isSetByServer = [...allShapes(shapes.root)].some(
    (shape) => shape.unions.includes(union) && shape.of({}).field(tag).readOnly
  )
  const isTried = gen.let('isTried', false)
  const value = gen.const('tag', _`typeof ${data} == "object" && ${data} ? ${data}[${tag}] : undefined`)
  const tryBranch = (index: number, options: object) => {
    const name = gen.name('_valid')
    context.mergeValidEvaluated(context.subschema({ keyword, schemaProp: index, ...options }, name), name)
    return name
  }
  gen.if(_`false`)
  for (const [constant, index] of branchOf) {
    gen.elseIf(_`${value} === ${constant as string}`)
    gen.assign(isTried, true)
    gen.assign(valid, tryBranch(index, {}))
  }
  gen.else()
  gen.block(() => {
    const decided = new Set(branchOf.values())
    // A value without the tag may still be of a branch that does not ask for it, or of one that is no object.
    const isOpen = (index: number) =>
      !decided.has(index) || isSetByServer || !shapes.of([branches[index] as SchemaValue]).anyRequired.includes(tag)
    // With the tag that the server sets, a value of two branches will be of one.
    const isExclusive = keyword === 'oneOf' && !isSetByServer
    const isTwice = gen.let('isTwice', false)
    for (const index of [...branches.keys()].filter(isOpen)) {
      const fits = tryBranch(index, { compositeRule: true })
      if (isExclusive) gen.assign(isTwice, _`${isTwice} || (${valid} && ${fits})`)
      gen.assign(valid, _`${valid} || ${fits}`)
      if (!isExclusive) gen.if(_`!${valid}`)
    }
    if (isExclusive) gen.assign(valid, _`${valid} && !${isTwice}`)
  })
  gen.endIf()
  const tags = stringify([...branchOf.keys()])
  // Of a branch that was tried, and of a value that is no object, other problems say more.
  context.setParams({
    ofUnion: _`${isTried} || typeof ${data} != "object" || !${data} ? {} : {tag: ${tag}, tags: ${tags}}`
  })
  context.result(
    valid,
    () => context.reset(),
    () => context.error(true)
  )
}

/** The names of fields that only the server sets, at any place: where a body has a gap for one, it is not asked for. */
function exemptNames(shapes: Shapes): ReadonlySet<string> {
  const fields = [...allShapes(shapes.root)].flatMap((shape) => {
    // Without a tag all branches apply, and what one of them leaves to the server is asked for by none.
    const anyBranch = shape.of(undefined)
    return [...anyBranch.names, ...anyBranch.anyRequired].filter((name) => isReadOnly(anyBranch.field(name), undefined))
  })
  return new Set(fields)
}
