import type { JsonSchema } from '../../../types/resource.js'
import { refusal } from './problem.js'
import { resolve, typesOf } from './text.js'

/** What a field that is a file may hold. */
export interface FileRules {
  readonly isList: boolean
  readonly isNullable: boolean
  /** Media types, as in `image/png` and `image/*`. None: any. */
  readonly types: readonly string[]
  /** How many bytes it may have. */
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
}

/** The fields of a record that are files, by name. */
export type Files = ReadonlyMap<string, FileRules>

// A text with an encoding, as in base64, is a text.
const isFile = ({ format, contentMediaType, contentEncoding = 'binary' }: JsonSchema) =>
  contentEncoding === 'binary' && (format === 'binary' || contentMediaType !== undefined)

/** Returns the fields of a record that are files, and lists of files. */
export function filesOf({ properties, $defs }: JsonSchema): Files {
  const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
  const found = fields.map(
    ([name, field]) => [name, toRules(field, ($defs ?? {}) as Record<string, JsonSchema>)] as const
  )
  return new Map(found.filter((entry): entry is [string, FileRules] => entry[1] !== undefined))
}

function toRules(field: JsonSchema, defs: Record<string, JsonSchema>): FileRules | undefined {
  const schema = resolve(field, defs)
  const isNullable = schema.nullable === true || typesOf(schema).has('null')
  const items = schema.items === undefined ? undefined : toRules(schema.items as JsonSchema, defs)
  if (items !== undefined) return { ...items, isList: true, isNullable }
  const branches = [schema, ...((schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[])]
  const files = branches.filter(isFile)
  if (files.length === 0) return undefined
  const { minLength, maxLength } = files[0] as { minLength?: number; maxLength?: number }
  const named = branches.flatMap(({ contentMediaType }) => contentMediaType ?? []) as string[]
  const types = named.some((type) => any.has(type)) ? [] : named.map((type) => type.toLowerCase())
  return { isList: false, isNullable, types, minLength, maxLength }
}

const any = new Set(['*/*', 'application/octet-stream'])

/** The schema of a body without what it says of files, which JSON Schema can't check. They are what `checkFiles` is for. */
export function withoutFiles(schema: JsonSchema, files = filesOf(schema)): JsonSchema {
  if (files.size === 0) return schema
  const properties = { ...(schema.properties as Record<string, JsonSchema>) }
  for (const [name, { isList }] of files) {
    const field = resolve(properties[name] as JsonSchema, (schema.$defs ?? {}) as Record<string, JsonSchema>)
    properties[name] = isList ? { ...field, items: {} } : unchecked(field)
  }
  return { ...schema, properties }
}

const unchecked = ({
  type,
  format,
  minLength,
  maxLength,
  anyOf,
  oneOf,
  nullable,
  contentEncoding,
  ...rest
}: JsonSchema) => rest

/**
 * Checks the fields of a body that are files.
 *
 * @throws {BadRequest} when one holds something else, or a file of another type or size
 */
export function checkFiles(files: Files, body: unknown): void {
  const isBatch = Array.isArray(body)
  for (const [index, record] of (isBatch ? body : [body]).entries())
    for (const [name, rules] of files) {
      const value = Object.hasOwn(Object(record), name) ? record[name] : undefined
      if (value === undefined || (value === null && rules.isNullable)) continue
      const path = [...(isBatch ? [index] : []), name]
      if (Array.isArray(value) !== rules.isList) {
        const isOne = !rules.isList && value.every(isBlob)
        throw refusal('body', path, isOne ? 'must be one file' : notFile, 'type')
      }
      if (rules.isList) for (const [index, one] of value.entries()) checkFile(rules, one, [...path, index])
      else checkFile(rules, value, path)
    }
}

const notFile = 'must be a file, sent in a form (multipart/form-data)'
const isBlob = (value: unknown): value is Blob => value instanceof Blob
const bytes = (count: number) => `${count} byte${count === 1 ? '' : 's'}`

function checkFile(
  { types, minLength = 0, maxLength = Infinity }: FileRules,
  value: unknown,
  path: (string | number)[]
) {
  const refuse = (must: string, keyword: string) => refusal('body', path, must, keyword)
  if (!isBlob(value)) throw refuse(notFile, 'type')
  if (types.length > 0 && !types.some((type) => isOfType(value.type, type)))
    throw refuse(`must be of the type ${types.join(' or ')}`, 'contentMediaType')
  if (value.size < minLength) throw refuse(`must have at least ${bytes(minLength)}`, 'minLength')
  if (value.size > maxLength) throw refuse(`must have at most ${bytes(maxLength)}`, 'maxLength')
}

const isOfType = (type: string, wanted: string) =>
  wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
