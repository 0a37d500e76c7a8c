import { createRequire } from 'node:module'
import type { Ajv, Code, CodeKeywordDefinition, KeywordCxt } from 'ajv'
import type { JsonSchema, SchemaValue } from '../../../types/standard-schema.js'
import type { Judge } from '../../core/resource/body.js'
import type { Compile, SchemaProblem } from '../../core/resource/problem.js'
import { Bundle, toRegExp } from '../../schema/bundle.js'
import { isDefined } from '../../schema/combined.js'
import { checkField } from '../../schema/fields.js'
import { allShapes } from '../../schema/hidden.js'
import { isReadOnly, type ServerFieldsByObject } from '../../schema/incoming.js'
import { conditionKeywords, isSchema, type UnionKeyword, unionKeywords } from '../../schema/keywords.js'
import type { Shapes } from '../../schema/shape.js'

// Fastify loads it when the first route needs it, and so do we.
const require = createRequire(import.meta.url)

interface Needs {
  readonly formats: ReadonlySet<string>
  /** Whether a keyword is used that draft 7 does not have. */
  readonly isNewer: boolean
}

function needsOf({ pointers }: Bundle): Needs {
  const parts = [...pointers.keys()]
  return {
    formats: new Set(parts.flatMap(({ format }) => format ?? [])),
    isNewer: parts.some((part) =>
      [part.unevaluatedProperties, part.unevaluatedItems, part.minContains, part.maxContains].some(isDefined)
    )
  }
}

/** Makes what compiles JSON Schemas. A format that it does not know passes, and the step of a decimal number is compared as people mean it. */
function createAjv({ formats, isNewer }: Needs): Ajv {
  const { default: AjvClass } = require(isNewer ? 'ajv/dist/2019' : 'ajv') as { default: typeof Ajv }
  const ajv = new AjvClass({
    strict: false,
    strictNumbers: true,
    logger: false,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    useDefaults: true,
    ownProperties: true,
    verbose: true,
    multipleOfPrecision: 9,
    code: { regExp: Object.assign((pattern: string) => toRegExp(pattern), { code: 'toRegExp' }) }
  })
  const { default: addFormats } = require('ajv-formats') as { default: (ajv: Ajv) => void }
  addFormats(ajv)
  boundURL(ajv)
  letPass(ajv, formats)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    errors: false,
    validate: (isUnique: unknown, list: readonly unknown[]) => isUnique !== true || areUnique(list)
  })
  return ajv
}

/** In characters. */
const mostOfURL = 2048

/** Lets no longer text to the expression of `format: 'url'`, whose time grows with the square of its length. */
function boundURL(ajv: Ajv): void {
  const url = ajv.formats.url as RegExp
  ajv.addFormat('url', (text: string) => text.length <= mostOfURL && url.test(text))
}

/** Whether no two items are equal. Ajv compares each object of a list with each other one, which takes a minute for 30,000 of them. */
const areUnique = (list: readonly unknown[]): boolean =>
  new Set(list.map((item) => JSON.stringify(item, sortKeys))).size === list.length

const sortKeys = (_key: string, value: unknown): unknown =>
  isSchema(value) ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))) : value

function letPass(ajv: Ajv, formats: Iterable<string>): void {
  for (const format of formats) if (ajv.formats[format] === undefined) ajv.addFormat(format, true)
}

/** Makes what compiles schemas of values in queries. Libraries take times that JSON Schema does not, as `12:00`: what may be stored may be asked for. */
export function createCompile(): Compile {
  let ajv: Ajv | undefined
  return (schema) => {
    const bundle = new Bundle(schema as JsonSchema)
    ajv ??= createAjv({ formats: new Set(), isNewer: true })
      .addFormat('time', /^\d\d:\d\d/)
      .addFormat('date-time', /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/i)
    letPass(ajv, needsOf(bundle).formats)
    const validate = ajv.compile(bundle.schema)
    return (value) => (validate(value) ? undefined : (validate.errors as SchemaProblem[]))
  }
}

const root = 'record'

/** Makes what judges the values of bodies by the schema of a record, as it was written. Fields that only the server sets are not asked for. */
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
  for (const keyword of unionKeywords)
    changeKeyword(ajv, keyword, (context, code) => checkUnion(context, keyword, shapes, code), 'allOf', errorOfUnion)
  for (const [keyword, before] of conditionKeywords)
    changeKeyword(
      ajv,
      keyword,
      (context, code) => {
        declareEvaluated(context)
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

type Generate = (context: KeywordCxt) => void

function failIfMissing(context: KeywordCxt, name: string, isMissing: (value: object, name: string) => boolean): void {
  const { _ } = codegen()
  const check = context.gen.scopeValue('func', { ref: isMissing })
  context.setParams({ missingProperty: _`${name}` })
  context.fail(_`${check}(${context.data}, ${name})`)
}

/**
 * Declares what the schemas of a place have looked at, for rules of what none of them has: Ajv declares it in the first branch that a value fits, so that it is lost, or missing,
 * where a value fits none.
 */
function declareEvaluated({ gen, it }: KeywordCxt): void {
  if (!it.opts.unevaluated) return
  const { Name } = codegen()
  const { evaluatedPropsToName } = require('ajv/dist/compile/util') as typeof import('ajv/dist/compile/util.js')
  if (it.props !== true && !(it.props instanceof Name)) it.props = evaluatedPropsToName(gen, it.props)
  if (it.items !== true && !(it.items instanceof Name)) it.items = gen.var('items', it.items ?? 0)
}

/** Changes what a keyword of Ajv does, at its place: each keyword relies on the order of all. */
function changeKeyword(
  ajv: Ajv,
  keyword: string,
  change: (context: KeywordCxt, code: Generate) => void,
  before: string,
  error?: CodeKeywordDefinition['error']
): void {
  const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition
  ajv.removeKeyword(keyword)
  ajv.addKeyword({
    ...definition,
    before,
    ...(error && { error }),
    code: (context) => change(context, definition.code as Generate)
  })
}

/** The parameters of the error of a union: its tag, where that is what is wrong. */
const errorOfUnion: NonNullable<CodeKeywordDefinition['error']> = {
  message: 'must match a schema of the union',
  params: ({ params }) => (params.ofUnion as Code | undefined) ?? codegen()._`{}`
}

const codegen = () => require('ajv') as typeof import('ajv')

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
