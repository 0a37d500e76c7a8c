import type { Ajv, CodeKeywordDefinition, KeywordCxt, Name } from 'ajv'
import { type Bundle, toRegExp } from '../../schema/bundle.js'
import { isDefined } from '../../schema/combined.js'
import { equalityKeywords, isSchema } from '../../schema/keywords.js'
import packages from './ajv-packages.cjs'

interface Needs {
  readonly formats: ReadonlySet<string>
  /** Whether a keyword is used that draft 7 does not have. */
  readonly isNewer: boolean
}

export function needsOf({ pointers }: Bundle): Needs {
  const parts = [...pointers.keys()]
  return {
    formats: new Set(parts.flatMap(({ format }) => format ?? [])),
    isNewer: parts.some((part) =>
      [part.unevaluatedProperties, part.unevaluatedItems, part.minContains, part.maxContains].some(isDefined)
    )
  }
}

/** Makes what compiles JSON Schemas. A format that it does not know passes, and the step of a decimal number is compared as people mean it. */
export function createAjv({ formats, isNewer }: Needs): Ajv {
  const AjvClass = packages.classOf(isNewer)
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
  packages.addFormats()(ajv)
  boundURL(ajv)
  letPass(ajv, formats)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    errors: false,
    validate: (isUnique: unknown, list: readonly unknown[]) => isUnique !== true || areUnique(list)
  })
  for (const [keyword, before] of equalityKeywords)
    changeKeyword(ajv, keyword, (context, code) => compareObjects(context, keyword, code), before)
  return ajv
}

/** In characters. */
const mostOfURL = 2048

/** Lets no longer text to the expression of `format: 'url'`, whose time grows with the square of its length. */
function boundURL(ajv: Ajv): void {
  const url = ajv.formats.url as RegExp
  ajv.addFormat('url', (text: string) => text.length <= mostOfURL && url.test(text))
}

/** Compares with objects by what they hold. Ajv would call a `valueOf` or `toString` that a client has sent. */
function compareObjects(context: KeywordCxt, keyword: string, code: Generate): void {
  const values: readonly unknown[] = keyword === 'enum' ? context.schema : [context.schema]
  const texts = new Set(values.map(toComparable))
  const isOther = (value: unknown) => !texts.has(toComparable(value))
  const isWithObjects = values.some((value) => typeof value === 'object' && value !== null)
  if (!isWithObjects) code(context)
  else context.fail(codegen()._`${context.gen.scopeValue('func', { ref: isOther })}(${context.data})`)
}

/** Whether no two items are equal. Ajv compares each object of a list with each other one, which takes a minute for 30,000 of them. */
const areUnique = (list: readonly unknown[]): boolean => new Set(list.map(toComparable)).size === list.length

/** The same text for equal values of JSON. */
const toComparable = (value: unknown): string => JSON.stringify(value, sortKeys)

const sortKeys = (_key: string, value: unknown): unknown =>
  isSchema(value) ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))) : value

export function letPass(ajv: Ajv, formats: Iterable<string>): void {
  for (const format of formats) if (ajv.formats[format] === undefined) ajv.addFormat(format, true)
}

export type Generate = (context: KeywordCxt) => void

/**
 * Declares what the schemas of a place have looked at, for rules of what none of them has: Ajv declares it in the first branch that a value fits, so that it is lost, or missing,
 * where a value fits none.
 */
export function declareEvaluated({ gen, it }: KeywordCxt): void {
  if (!it.opts.unevaluated) return
  const { Name } = codegen()
  const { evaluatedPropsToName } = packages.utilities()
  if (it.props !== true && !(it.props instanceof Name)) it.props = evaluatedPropsToName(gen, it.props)
  if (it.items !== true && !(it.items instanceof Name)) it.items = gen.var('items', it.items ?? 0)
}

/** Lets a condition count as having looked at fields only where a value fits it: Ajv counts what it could have looked at. */
export function countWhereItFits(context: KeywordCxt): void {
  const { prototype } = codegen().KeywordCxt
  let fits: Name
  context.subschema = (part, valid) => {
    fits = valid
    return prototype.subschema.call(context, part, valid)
  }
  context.mergeEvaluated = (part, toName) => {
    if (toName === undefined) context.mergeValidEvaluated(part, fits)
    else prototype.mergeEvaluated.call(context, part, toName)
  }
}

/** Changes what a keyword of Ajv does, at its place: each keyword relies on the order of all. */
export function changeKeyword(
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
    keyword,
    before,
    ...(error && { error }),
    code: (context) => change(context, definition.code as Generate)
  })
}

/** Ajv's module, which has what makes code. */
export const codegen = packages.ajv
