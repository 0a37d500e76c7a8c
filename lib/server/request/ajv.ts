import type { Ajv } from 'ajv'
import { type Bundle, toRegExp } from '../../schema/bundle.js'
import { ownKeywords } from '../../schema/checked-schema.js'
import { isSchema } from '../../schema/keywords.js'
import packages from './ajv-packages.cjs'

/** Creates an Ajv for the schemas of a bundle. Formats that it does not know accept any text. */
export function createAjv(bundle?: Bundle): Ajv {
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
      const texts = lists.map((values) => new Set(values.map(toComparable)))
      return (value: unknown) => texts.every((accepted) => accepted.has(toComparable(value)))
    }
  })
  return ajv
}

/**
 * In characters. The time of the expression of `format: 'url'` grows with the square of the length
 * of a text.
 */
const maxUrlLength = 2048

export function addUnknownFormats(ajv: Ajv, bundle: Bundle | undefined): void {
  for (const { format } of bundle?.pointers.keys() ?? [])
    if (typeof format === 'string' && ajv.formats[format] === undefined) ajv.addFormat(format, true)
}

const areDistinct = (list: readonly unknown[]): boolean => new Set(list.map(toComparable)).size === list.length

/** Returns the same text for equal values of JSON. */
const toComparable = (value: unknown): string => JSON.stringify(value, sortKeys)

const sortKeys = (_key: string, value: unknown): unknown =>
  isSchema(value) ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))) : value
