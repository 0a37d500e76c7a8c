import type { JsonSchema } from '../../types/standard-schema.js'
import { encodeBy } from './codec.js'
import { describesItems } from './combined.js'
import { isPermission, kindBits } from './reader.js'
import { mayBeSerialized, redactsTexts } from './redacted-fields.js'
import type { Shape, Shapes } from './shape.js'
import { resolveToJson } from './to-json.js'

/** Copies a value with the fields of the response schema only, and without hidden fields. */
export type Project = (value: unknown) => unknown
type ProjectObject = (value: Record<string, unknown>) => unknown

/**
 * Creates the function that projects a value: it copies known fields that are not `writeOnly`. It
 * validates nothing, since stored records must stay readable. Scalars of drivers are converted to
 * the types of the schema. Objects in place of scalars are dropped.
 *
 * @param converts whether scalars are converted to the types of the schema
 */
export function createProjection(shapes: Shapes, converts: boolean): Project {
  return shapeProjection(shapes.root, converts)
}

const identity: Project = (value) => value

const shapeProjection = (shape: Shape, converts: boolean): Project =>
  shape.remember(createProjection, () => {
    const project = passesAnything(shape) ? identity : new Projection(shape, converts).project
    const { codecs } = shape
    if (codecs.length === 0) return project
    // The `null` of a nullable field bypasses the codec: a codec for any value would make it a
    // string.
    const keepsNull = shape.hasPlainBranch(kindBits.null)
    // The schema describes the wire, so it applies to the encoded value.
    return (value) => project(value === null && keepsNull ? null : encodeBy(codecs, value))
  })

const passesAnything = (shape: Shape) => shape.kinds === kindBits.all && shape.acceptsAnyMembers
const isCopiedWhole = (shape: Shape) => passesAnything(shape) && shape.codecs.length === 0

const drop = () => undefined

/**
 * The projection of one shape. Inner projections are created when a value needs them, since schemas
 * may be recursive.
 */
class Projection {
  readonly #shape: Shape
  readonly #converts: boolean
  readonly #toScalar: Project
  #ofObject: ProjectObject | undefined
  #ofList: ((list: readonly unknown[]) => unknown) | undefined

  constructor(shape: Shape, converts: boolean) {
    this.#shape = shape
    this.#converts = converts
    this.#toScalar = converts ? scalarProjection(shape) : (value) => jsonScalarOf(value, shape)
    if (hidesAllButObjects(shape)) this.#ofList = drop
    // A string in place of an object may be its JSON, including hidden fields.
    if (hidesAllButObjects(shape) || (shape.kinds & kindBits.scalar & ~kindBits.null) === 0)
      this.#toScalar = (value) => (value === null ? null : undefined)
    if (shape.kinds !== kindBits.all || !redactsTexts(shape)) return
    const toScalar = this.#toScalar
    this.#toScalar = (value) => withoutTexts(toScalar(value))
    if (![...shape.subschemas].some(describesItems)) this.#ofList = drop
  }

  readonly project = (input: unknown): unknown => {
    const { kinds: allowed } = this.#shape
    const value = resolveToJson(input)
    if (typeof value !== 'object' || value === null || value instanceof Date) return this.#toScalar(value)
    if (Array.isArray(value)) return (allowed & kindBits.array) === 0 ? undefined : this.#projectList(value)
    if (ArrayBuffer.isView(value))
      return this.#shape.acceptsAnyMembers && (allowed & kindBits.object) !== 0 ? value : undefined
    return (allowed & kindBits.object) === 0 ? undefined : this.#projectObject(value as Record<string, unknown>)
  }

  #projectList(list: readonly unknown[]): unknown {
    this.#ofList ??= this.#shape.acceptsAnyMembers ? identity : listProjection(this.#shape, this.#converts)
    return this.#ofList(list)
  }

  #projectObject(value: Record<string, unknown>): unknown {
    this.#ofObject ??= this.#shape.acceptsAnyMembers ? identity : objectProjection(this.#shape, this.#converts)
    return this.#ofObject(value)
  }
}

/**
 * Returns whether a string in a field may be the JSON of an object with hidden fields, by its name.
 * A field that a schema declares as a string is safe.
 */
function hidesTextsByName(object: Shape, name: string): boolean {
  const { redactsText } = object.shapes.flagged
  if (redactsText?.has(name) !== true) return false
  return !object.names.includes(name) || object.field(name).shape.kinds === kindBits.all
}

/** Removes bytes, and strings that may be serialized objects, from a value or its items. */
function withoutTexts(input: unknown): unknown {
  const value = resolveToJson(input)
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (typeof value === 'string' && mayBeSerialized(value)) return undefined
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof String) return withoutTexts(String(value))
  return ArrayBuffer.isView(value) ? undefined : value
}

// A non-object has no discriminator, so any branch may apply: drop what any branch hides.
const hidesAllButObjects = (shape: Shape) => shape.unions.length > 0 && shape.narrow(undefined).has('writeOnly')

/** Converts a BigInt for JSON: to a string if a number would lose precision. */
export const scalarOf = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value)

/** Converts a scalar that JSON has no type for to a string or a number. */
function jsonScalarOf(value: unknown, shape: Shape): unknown {
  if (typeof value === 'bigint') return scalarOf(value)
  return value instanceof Date ? dateOf(value, shape) : value
}

function dateOf(value: Date, { subschemas }: Shape): unknown {
  if (Number.isNaN(value.getTime())) return null
  const formats = [...subschemas].map(({ format }) => format)
  if (formats.includes('date')) return dayOf(value)
  const text = value.toISOString()
  return formats.includes('time') ? text.slice(11, 19) : text
}

/** Returns the day of a date. Drivers read a column of days as local midnight, programs use UTC. */
function dayOf(value: Date): string {
  const midnight = new Date(value)
  midnight.setHours(0, 0, 0, 0)
  if (midnight.getTime() !== value.getTime()) return value.toISOString().slice(0, 10)
  const day = new Date(0)
  day.setUTCFullYear(value.getFullYear(), value.getMonth(), value.getDate())
  return day.toISOString().slice(0, 10)
}

/**
 * Creates the conversion of a scalar to the type of its schema: PostgreSQL's driver returns strings
 * for numbers, SQLite's returns numbers for booleans.
 */
function scalarProjection(shape: Shape): Project {
  const allowed = shape.kinds & kindBits.scalar & ~kindBits.null
  if (allowed === kindBits.number)
    return (value) => (typeof value === 'string' ? exactNumber(value) : jsonScalarOf(value, shape))
  if (allowed === kindBits.boolean)
    return (value) => (value === 0 || value === 1 ? value === 1 : jsonScalarOf(value, shape))
  if (allowed === kindBits.string)
    // PostgreSQL's driver returns the number Infinity for a date that is `infinity`. JSON has none.
    return (value) => (isFiniteNumber(value) ? String(value) : jsonScalarOf(value, shape))
  return (value) => jsonScalarOf(value, shape)
}

const isFiniteNumber = (value: unknown) => Number.isFinite(value) || typeof value === 'bigint'

// Keeps a string that no number represents exactly.
function exactNumber(text: string): string | number {
  const number = Number(text)
  const digits = digitsOf(text)
  const isExact = digits !== undefined && digits === digitsOf(String(number))
  return isExact && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text
}

/** Returns the same string for equal decimal numbers; `undefined` for any other string. */
function digitsOf(text: string): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  if (whole + fraction === '') return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return significant === '' ? '0' : `${sign === '-' ? '-' : ''}${significant}e${power}`
}

/** Returns whether an object may have only the fields in `properties`. */
function isSpelledOut({ isOpen, subschemas }: Shape): boolean {
  const isMore = ({ patternProperties, additionalProperties }: JsonSchema) =>
    patternProperties !== undefined || isPermission(additionalProperties)
  return !isOpen && ![...subschemas].some(isMore)
}

function objectProjection(shape: Shape, converts: boolean): ProjectObject {
  const [union, ...others] = shape.unions
  if (union === undefined)
    return isSpelledOut(shape) ? fixedProjection(shape, converts) : openProjection(shape, converts)
  const projectBranch = (branch: Shape) =>
    branch.remember(objectProjection, () =>
      branch.has('writeOnly') ? () => undefined : objectProjection(branch, converts)
    )
  if (others.length > 0) return (value) => projectBranch(shape.narrow(value))(value)
  const { discriminator, branchByValue } = union
  const byValue = new Map<unknown, ProjectObject>()
  return (value) => {
    const ready = byValue.get(value[discriminator])
    if (ready !== undefined && Object.hasOwn(value, discriminator)) return ready(value)
    const project = projectBranch(shape.narrow(value))
    if (
      branchByValue.has(value[discriminator]) &&
      shape.narrow({ [discriminator]: value[discriminator] }) === shape.narrow(value)
    )
      byValue.set(value[discriminator], project)
    return project(value)
  }
}

function listProjection(union: Shape, converts: boolean): (list: readonly unknown[]) => unknown {
  // A list has no discriminator, so any branch may apply.
  const shape = union.narrow({})
  if (shape.isTuple)
    return (list) =>
      list.map((item, index) => {
        const member = shape.item(index)
        return member.writeOnly ? null : shapeProjection(member.shape, converts)(item)
      })
  const member = shape.item(0)
  if (member.writeOnly) return () => []
  const type = scalarTypeOf(member.shape)
  const project = shapeProjection(member.shape, converts)
  const isReady = (item: unknown) => typeof item === type
  // Doesn't copy a list if all items have the type of the schema.
  return (list) => (type !== undefined && list.every(isReady) ? list : list.map((item) => project(item)))
}

function openProjection(shape: Shape, converts: boolean): ProjectObject {
  return (value) => {
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      if (name === '__proto__') continue
      const { isKnown, writeOnly, shape: inner } = shape.field(name)
      if (!isKnown || writeOnly) continue
      const readable = hidesTextsByName(shape, name) ? withoutTexts(value[name]) : value[name]
      copy[name] = shapeProjection(inner, converts)(readable)
    }
    return copy
  }
}

const plainName = /^[A-Za-z_$][\w$]*$/
// Fields with a name of Object.prototype must be own properties.
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/**
 * Creates the projection of an object whose fields are all known. It compiles an object literal,
 * which is fastest in V8.
 */
function fixedProjection(shape: Shape, converts: boolean): ProjectObject {
  const projections: Project[] = []
  const entries = shape.names.flatMap((name) => {
    const { isKnown, writeOnly, shape: inner } = shape.field(name)
    if (!isKnown || writeOnly || name === '__proto__') return []
    const key = JSON.stringify(name)
    const value = inherited.has(name)
      ? `(Object.hasOwn(record, ${key}) ? record[${key}] : undefined)`
      : plainName.test(name)
        ? `record.${name}`
        : `record[${key}]`
    if (isCopiedWhole(inner)) return [`${key}: ${value}`]
    const project = laterProjection(inner, converts)
    const redactsText = hidesTextsByName(shape, name)
    const index = projections.push(redactsText ? (value) => project(withoutTexts(value)) : project) - 1
    const type = scalarTypeOf(inner)
    const isReady = type === undefined ? 'false' : `typeof value === '${type}'`
    const isNothing = inner.codecs.length > 0 ? 'value === undefined' : '(value === undefined || value === null)'
    return [`${key}: (value = ${value}, ${isNothing} || ${isReady}) ? value : project${index}(value)`]
  })
  const names = projections.map((_, index) => `project${index}`)
  const source = `return (record) => { let value; return { ${entries.join(', ')} } }`
  return new Function(...names, source)(...projections) as ProjectObject
}

const laterProjection = (shape: Shape, converts: boolean): Project => {
  let project: Project | undefined
  return (value) => {
    project ??= shapeProjection(shape, converts)
    return project(value)
  }
}

/** Returns the only possible `typeof` of a scalar. A value of that type needs no projection. */
const scalarTypeOf = (shape: Shape): string | undefined =>
  hidesAllButObjects(shape) || shape.codecs.length > 0 ? undefined : typeNames.get(shape.kinds & ~kindBits.null)
const typeNames = new Map<number, string>([
  [kindBits.number, 'number'],
  [kindBits.boolean, 'boolean'],
  [kindBits.string, 'string']
])
