import type { JsonSchema } from '../../../types/resource.js'
import type { SchemaValue } from '../../../types/standard-schema.js'
import { noNames } from '../../schema/flagged-names.js'
import { isInPlace, isSchema, mapSubschemas } from '../../schema/keywords.js'
import type { ShapeMember } from '../../schema/shape.js'
import { WrittenSchema } from '../../schema/written-schema.js'
import { refusal } from './issues.js'

/** The rules of a field for files. */
interface FileRules {
  /** Whether only the server sets it. */
  readonly readOnly: boolean
  readonly isList: boolean
  readonly isNullable: boolean
  /** Media types, as in `image/png` and `image/*`. An empty list accepts any. */
  readonly types: readonly string[]
  /** The size in bytes. */
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
}

/** The fields for files of a record, by name. */
export type Files = ReadonlyMap<string, FileRules>

// A field with another `contentEncoding`, such as base64, is a string.
const isFile = ({ format, contentMediaType, contentEncoding = 'binary' }: JsonSchema): boolean =>
  contentEncoding === 'binary' && (format === 'binary' || contentMediaType !== undefined)

/** Returns the schema that bodies are validated by: without files, which `checkFiles` validates. */
export function checkedSchemaOf(shown: WrittenSchema): WrittenSchema {
  const document = withoutFiles(shown.document)
  return document === shown.document ? shown : shown.withDocument(document)
}

/** Returns the fields of a record for files and lists of files. */
export function filesOf(document: JsonSchema): Files {
  // Most records have no files, and this is faster than reading the schema.
  if (!/"(binary|contentMediaType)"/.test(JSON.stringify(document))) return new Map()
  const { root } = new WrittenSchema(document, { flagged: noNames }).shapes
  const fields = root.names.map((name) => [name, toRules(root.field(name))] as const)
  return new Map(fields.filter((entry): entry is [string, FileRules] => entry[1] !== undefined))
}

function toRules({ shape, readOnly }: ShapeMember): FileRules | undefined {
  const schemas = [...shape.subschemas]
  const isNullable = schemas.some(({ type = [] }) => [type].flat().includes('null'))
  const isList = schemas.some(({ items }) => items !== undefined)
  if (isList) {
    const item = shape.narrow({}).item(0)
    const files = [...item.shape.subschemas].some(isFile) ? toRules(item) : undefined
    return files && { ...files, readOnly: readOnly || files.readOnly, isList: true, isNullable }
  }
  const [file] = schemas.filter(isFile)
  if (file === undefined) return undefined
  const { minLength, maxLength } = file as { minLength?: number; maxLength?: number }
  const named = schemas.flatMap(({ contentMediaType }) => contentMediaType ?? []) as string[]
  const types = named.some((type) => anyMediaType.has(type)) ? [] : named.map((type) => type.toLowerCase())
  return { readOnly, isList: false, isNullable, types, minLength, maxLength }
}

const anyMediaType = new Set(['*/*', 'application/octet-stream'])

/** Removes the rules of files from a schema, since JSON Schema can't validate them. */
export function withoutFiles(schema: JsonSchema): JsonSchema {
  const files = filesOf(schema)
  if (files.size === 0) return schema
  const ofRecord = (part: SchemaValue): SchemaValue =>
    isSchema(part)
      ? mapSubschemas(part, (inner, keyword, name = '') => {
          const file = keyword === 'properties' ? files.get(name) : undefined
          if (file !== undefined) {
            const { readOnly, isList } = file
            return { ...(isSchema(inner) && isList && { ...inner, items: {} }), ...(readOnly && { readOnly }) }
          }
          return isInPlace(keyword) ? ofRecord(inner) : inner
        })
      : part
  return ofRecord(schema) as JsonSchema
}

/**
 * Validates the files of a body.
 *
 * @throws {BadRequest} if a field has something else, or a file of another type or size
 */
export function checkFiles(files: Files, body: unknown): void {
  const isBatch = Array.isArray(body)
  for (const [index, record] of (isBatch ? body : [body]).entries())
    for (const [name, rules] of files) {
      const value = Object.hasOwn(Object(record), name) ? record[name] : undefined
      if (value === undefined || (value === null && rules.isNullable)) continue
      const path = [...(isBatch ? [index] : []), name]
      if (Array.isArray(value) !== rules.isList) {
        const isSingleFile = !rules.isList && value.every(isBlob)
        throw refusal('body', path, isSingleFile ? 'must be one file' : notFile, 'type')
      }
      if (rules.isList) for (const [index, file] of value.entries()) checkFile(rules, file, [...path, index])
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
