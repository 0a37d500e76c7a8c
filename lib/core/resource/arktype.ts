import type { StandardSchema } from '../../../types/standard-schema.js'
import { attempt } from '../errors.js'
import type { LibraryPlace, Omit } from './omit.js'
import { type FieldResult, type LibraryStructure, type SchemaLibrary, standardOf } from './standard-schema.js'

interface ArkType extends StandardSchema {
  readonly branches: readonly unknown[]
  partial(): StandardSchema
  keyof(): { allows(name: string): boolean }
}

function arktypeStructure(schema: unknown): LibraryStructure | undefined {
  const type = schema as ArkType
  if (type.branches.length > 1) return { branches: type.branches }
  const part = attempt(() => type.partial())
  const validate = standardOf(part)?.validate
  if (validate === undefined) return undefined
  const names = type.keyof()
  return {
    checkField(name, value) {
      if (!names.allows(name)) return undefined
      const result = validate({ [name]: value }) as FieldResult
      return result.issues === undefined ? { value: (result.value as Record<string, unknown>)[name] } : result
    }
  }
}

interface Property {
  readonly key: string | symbol
  readonly value: object
}

interface ArkNode {
  /** The rules of the type. A text is the name of another type. */
  readonly json: unknown
  omit(...names: readonly string[]): ArkNode
  map(change: (property: Property) => Property): ArkNode
  get(index: number): ArkNode
  exclude(type: string): ArkNode
  array(): ArkNode
}

/** ArkType leaves fields out of plain objects, and of lists of them. */
const omitFromArkType: Omit = (given, place) => {
  const type = given as ArkNode
  const branches = [type.json].flat().map((branch) => Object(branch) as Record<string, unknown>)
  if (branches.some(({ sequence }) => sequence !== undefined)) return omitFromItems(type, branches, place)
  if (branches.some(({ domain }) => domain !== 'object'))
    return place.refuse('ArkType leaves fields out of plain objects and lists only')
  const properties = branches.flatMap(({ required = [], optional = [] }) => [required, optional].flat() as Property[])
  const names = [...new Set(properties.map(({ key }) => String(key)))]
  const lacking = names.filter((name) => place.lacks(name))
  const holders = names.filter((name) => !lacking.includes(name) && place.field(name).needsOmission)
  if (branches.some(({ index }) => index !== undefined) && place.others.needsOmission)
    return place.refuse('ArkType leaves no fields out of maps')
  if (lacking.length + holders.length === 0) return type
  // It would drop the function of a `.narrow()` without a word.
  if (branches.some(({ predicate }) => predicate !== undefined))
    return place.refuse('ArkType drops the checks of .narrow() together with a field')
  const rest = lacking.length === 0 ? type : type.omit(...lacking)
  if (holders.length === 0) return rest
  return rest.map((property) => {
    const name = String(property.key)
    return holders.includes(name) ? { ...property, value: place.field(name).omit(property.value) as object } : property
  })
}

function omitFromItems(type: ArkNode, [list = {}, ...others]: readonly object[], place: LibraryPlace): unknown {
  const { proto, sequence, ...rules } = list as Record<string, unknown>
  const isTuple = Object(sequence) === sequence && 'prefix' in Object(sequence)
  if (others.length > 0 || isTuple || Object.keys(rules).length > 0)
    return place.refuse('ArkType leaves fields out of lists without other rules only')
  const items = place.item(0).omit(type.get(0).exclude('undefined')) as ArkNode
  return items.array()
}

export const arktype: SchemaLibrary = {
  structureOf: arktypeStructure,
  omit: omitFromArkType,
  omitExample: "Book.omit('id')"
}
