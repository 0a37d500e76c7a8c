import type { Ajv } from 'ajv'
import type { JsonSchema, SchemaValue } from '../../../types/standard-schema.js'
import type { BodyValidator } from '../../core/resource/body.js'
import type { AjvError, Compile } from '../../core/resource/issues.js'
import { checkField } from '../../core/resource/patch.js'
import { toStableJSON } from '../../core/stable-json.js'
import { Bundle, toRegExp } from '../../schema/bundle.js'
import { CheckedSchema, ownKeywords } from '../../schema/checked-schema.js'
import { isSchema } from '../../schema/keywords.js'
import { SchemaReader } from '../../schema/reader.js'
import { flagsBySchema } from '../../schema/schema-flags.js'
import type { Shapes } from '../../schema/shape.js'
import packages from './packages.cjs'

/** Creates an Ajv for the schemas of a bundle. Formats that it does not know accept any text. */
function createAjv(bundle?: Bundle): Ajv {
  const AjvClass = packages.ajv().Ajv
  const ajv = new AjvClass({
    // For `minContains`.
    next: true,
    strict: false,
    strictNumbers: true,
    logger: false,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    useDefaults: true,
    ownProperties: true,
    verbose: true,
    // People mean that 1.13 is a multiple of 0.01.
    multipleOfPrecision: 9,
    code: { regExp: Object.assign((pattern: string) => toRegExp(pattern), { code: 'toRegExp' }) }
  })
  packages.addFormats()(ajv)
  const url = ajv.formats.url as RegExp
  ajv.addFormat('url', (text: string) => text.length <= maxUrlLength && url.test(text))
  addUnknownFormats(ajv, bundle)
  ajv.addKeyword({
    keyword: ownKeywords.distinct,
    type: 'array',
    validate: (_: unknown, list: unknown[]) => areDistinct(list)
  })
  ajv.addKeyword({
    keyword: ownKeywords.equals,
    compile(lists: readonly (readonly unknown[])[]) {
      const texts = lists.map((values) => new Set(values.map(toStableJSON)))
      return (value: unknown) => texts.every((accepted) => accepted.has(toStableJSON(value)))
    }
  })
  return ajv
}

/**
 * In characters. The time of the expression of `format: 'url'` grows with the square of the length
 * of a text.
 */
const maxUrlLength = 2048

function addUnknownFormats(ajv: Ajv, bundle: Bundle | undefined): void {
  for (const { format } of bundle?.pointers.keys() ?? [])
    if (typeof format === 'string' && ajv.formats[format] === undefined) ajv.addFormat(format, true)
}

const areDistinct = (list: readonly unknown[]): boolean => new Set(list.map(toStableJSON)).size === list.length

/**
 * Formats of queries. A library may accept, and store, more than JSON Schema does, such as the time
 * `12:00`: clients may ask for what is stored.
 */
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
  const ajv = createAjv()
  for (const [name, format] of Object.entries(looseFormats)) ajv.addFormat(name, format)
  // Ajv compiles these keywords only beside its own formats, which are replaced here.
  for (const limit of ['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'])
    ajv.removeKeyword(limit)
  return ajv
}

/** Creates the compiler for values of queries. */
export function createCompile(): Compile {
  let ajv: Ajv | undefined
  return (schema) => {
    const bundle = new Bundle(schema as JsonSchema)
    ajv ??= createLooseAjv()
    addUnknownFormats(ajv, bundle)
    const validate = ajv.compile(new CheckedSchema(new SchemaReader(bundle)).schema)
    return (value) => (validate(value) ? undefined : toProblems(validate.errors))
  }
}

const root = 'record'

/**
 * Creates the check of bodies by the JSON Schema of a record. It does not ask for server-set
 * fields.
 */
export function createBodyValidator(shapes: Shapes): BodyValidator {
  const { reader } = shapes
  const { bundle } = reader
  const checked = new CheckedSchema(reader, (schema) => flagsBySchema(shapes).get(schema)?.readOnly ?? new Set())
  const ajv = createAjv(bundle)
  ajv.addSchema(checked.schema, root)
  const validators = new Map<JsonSchema, ReturnType<Ajv['compile']>>()
  const check = (schema: SchemaValue, value: unknown): readonly AjvError[] | undefined => {
    if (!isSchema(schema)) return schema ? undefined : [nothingFits]
    const validate = validators.get(schema) ?? ajv.compile({ $ref: `${root}#${checked.pointerTo(schema)}` })
    validators.set(schema, validate)
    return validate(value) ? undefined : toProblems(validate.errors)
  }
  return {
    record: (value) => check(bundle.schema, value),
    field: (name, value) => checkField(shapes.root, name, value, check)
  }
}

const nothingFits: AjvError = { keyword: 'false schema', instancePath: '', params: {} }

/** Returns the errors of Ajv with the keywords that the schema was written with. */
const toProblems = (errors: unknown): readonly AjvError[] =>
  (errors as (AjvError & { readonly schema?: unknown })[]).map((problem) => {
    if (problem.keyword === ownKeywords.distinct) return { ...problem, keyword: 'uniqueItems' }
    if (problem.keyword !== ownKeywords.equals) return problem
    const [allowedValues] = problem.schema as readonly unknown[]
    return { ...problem, keyword: 'enum', params: { allowedValues } }
  })
