import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { Codec, codecKeyword } from './codec.js'
import {
  describesItems,
  type MemberPlace,
  opennessOf,
  schemasWithin,
  statedOpenness,
  UnionCache,
  unconditional
} from './combined.js'
import { type FlaggedNames, isFlaggedByName } from './flagged-names.js'
import { flagKeywords, isSchema, unionBranches } from './keywords.js'
import {
  type DiscriminatedUnion,
  type Flag,
  isPermission,
  kindBits,
  type SchemaReader,
  schemasOfField,
  schemasOfItem
} from './reader.js'

/** The index of the chosen branch of each discriminated union; -1 if no branch matches. */
type ChosenBranches = ReadonlyMap<readonly SchemaValue[], number>

const noChoice: ChosenBranches = new Map()

/** A field or an item of a shape. */
export interface ShapeMember {
  readonly shape: Shape
  /** Whether the schema accepts a value here. */
  readonly isKnown: boolean
  readonly readOnly: boolean
  readonly writeOnly: boolean
  /** Whether an option lets clients set the field, whatever its flags are. */
  readonly isSettable?: boolean
}

/** Stands for all fields that no schema names. No real field has this name. */
export const othersName = '\0'

// Bounds for the caches that values from clients fill: names, and combinations of patterns or
// branches.
const maxNames = 1000
const maxPatternShapes = 64
const maxChoices = 1000

/**
 * The shapes of one schema. Equal sets of schemas share one shape, so recursive schemas terminate.
 */
export class Shapes {
  readonly root: Shape
  readonly #records = new Set<JsonSchema>()
  readonly #shapes = new Map<string, Shape>()
  readonly unionCache = new UnionCache()

  /**
   * @param flagged the fields that options flag
   * @param ignoresFlags whether flags in the schema itself don't count
   * @param recordNames the names of the record's fields, if the schema describes something else
   */
  constructor(
    readonly reader: SchemaReader,
    readonly flagged: FlaggedNames,
    readonly ignoresFlags = false,
    readonly recordNames?: readonly string[]
  ) {
    const { bundle } = reader
    for (let schema: SchemaValue | undefined = bundle.schema; isSchema(schema) && !this.#records.has(schema); ) {
      this.#records.add(schema)
      schema = bundle.target(schema)
    }
    const { definitions = {}, $defs = {}, ...record } = bundle.schema
    const text = JSON.stringify(record)
    // Valibot repeats a recursive record among the definitions.
    for (const definition of [...Object.values(definitions), ...Object.values($defs)])
      if (isSchema(definition) && JSON.stringify(definition) === text) this.#records.add(definition)
    this.root = this.of([bundle.schema])
  }

  /** Returns the shape of a value that all these schemas apply to. */
  of(schemas: readonly SchemaValue[], chosenBranches = noChoice): Shape {
    const chosen = [...chosenBranches].map(([branches, index]) => `${this.unionCache.idOf(branches)}=${index}`)
    const key = `${this.unionCache.keyOf(schemas)}|${chosen}`
    const shape = this.#shapes.get(key) ?? new Shape(this, [...new Set(schemas)], chosenBranches)
    this.#shapes.set(key, shape)
    return shape
  }

  /**
   * Returns whether a schema describes the record itself, or a record of the same kind within it.
   */
  isRecord(schema: JsonSchema): boolean {
    return this.#records.has(schema)
  }
}

/**
 * A JSON Schema node with `$ref`, `allOf`, conditions and the chosen union branches resolved.
 * A union without a discriminator contributes all of its branches.
 */
export class Shape {
  /** All schemas that may apply to the value. */
  readonly subschemas = new Set<JsonSchema>()
  /** The discriminated unions of which no branch is chosen yet. */
  readonly unions: DiscriminatedUnion[] = []
  /** The accepted kinds of values, as bits. */
  readonly kinds: number
  /** Whether an object may have fields that no schema names. */
  readonly isOpen: boolean
  readonly isRecord: boolean
  // Created when first needed: an application has thousands of shapes, and most are scalars.
  #fields: Map<string, ShapeMember> | undefined
  #patternShapes: Set<Shape> | undefined
  #items: ShapeMember[] | undefined
  #narrowed: Map<string, Shape> | undefined
  #derived: Map<unknown, unknown> | undefined

  constructor(
    readonly shapes: Shapes,
    readonly schemas: readonly SchemaValue[],
    readonly chosenBranches: ChosenBranches
  ) {
    for (const schema of schemas) this.#gather(schema)
    this.kinds = schemas.reduce<number>((all, schema) => all & shapes.reader.kinds(schema), kindBits.all)
    this.isOpen = opennessOf(schemas, shapes.reader, (branches) => this.possibleBranches(branches)) !== 'closed'
    this.isRecord = [...this.subschemas].some((schema) => shapes.isRecord(schema))
  }

  #gather(schema: SchemaValue): void {
    if (!isSchema(schema) || this.subschemas.has(schema)) return
    const { reader } = this.shapes
    this.subschemas.add(schema)
    for (const subschema of reader.beside(schema)) this.#gather(subschema)
    for (const branches of [schema.anyOf, schema.oneOf]) {
      if (branches === undefined) continue
      const index = this.chosenBranches.get(branches)
      const union = index === undefined ? reader.discriminatedUnion(branches) : undefined
      if (union !== undefined) this.unions.push(union)
      else for (const branch of this.possibleBranches(branches)) this.#gather(branch)
    }
  }

  /** Returns the chosen branch of a union, or all branches if none is chosen. */
  possibleBranches(branches: readonly SchemaValue[]): readonly SchemaValue[] {
    const index = this.chosenBranches.get(branches) ?? -1
    return index < 0 ? branches : [branches[index] as SchemaValue]
  }

  /**
   * Returns the shape for these branches of unions, by their index. -1 means: no branch matches.
   */
  choose(...chosen: readonly (readonly [branches: readonly SchemaValue[], index: number])[]): Shape {
    return this.shapes.of(this.schemas, new Map([...this.chosenBranches, ...chosen]))
  }

  /**
   * Returns whether the value itself is flagged. One schema that applies is enough: a field that
   * one branch of a union hides must not leave through another one.
   */
  has(flag: Flag): boolean {
    return !this.shapes.ignoresFlags && [...this.subschemas].some((schema) => schema[flag] === true)
  }

  /** Returns whether the value is flagged, in any branch that a discriminator may choose. */
  mayHave(flag: Flag): boolean {
    return !this.shapes.ignoresFlags && this.schemas.some((schema) => this.shapes.reader.isFlagged(schema, flag))
  }

  /**
   * Returns the shape with the union branches that the discriminators of a value choose. A value
   * without discriminators may belong to any branch.
   */
  narrow(value: unknown): Shape {
    if (this.unions.length === 0) return this
    const indices = this.unions.map(({ discriminator, branchByValue }) =>
      Object.hasOwn(Object(value), discriminator)
        ? (branchByValue.get((value as Record<string, unknown>)[discriminator]) ?? -1)
        : -1
    )
    this.#narrowed ??= new Map()
    const key = this.#narrowed.size < maxChoices ? indices.join() : ''
    let shape = this.#narrowed.get(key)
    if (shape === undefined) {
      const chosen = this.unions.map(
        ({ branches }, at) => [branches, key === '' ? -1 : (indices[at] as number)] as const
      )
      shape = this.choose(...chosen)
      this.#narrowed.set(key, shape)
    }
    // A branch may itself be a discriminated union.
    return shape.narrow(value)
  }

  /** Returns a field by its name, also one that is not known. */
  field(name: string): ShapeMember {
    this.#fields ??= new Map()
    const ready = this.#fields.get(name)
    if (ready !== undefined) return ready
    if (this.#isOrdinary(name)) return this.field(othersName)
    const member = this.#toField(name)
    if (this.#fields.size < maxNames) this.#fields.set(name, member)
    return member
  }

  /**
   * Returns whether a name is like all others that no schema names. These share one member, since a
   * value may have very many of them.
   */
  #isOrdinary(name: string): boolean {
    const isFlagged = (name: string) => flagKeywords.some((flag) => isFlaggedByName(flag, name, this, this.shapes))
    const hasRules = () => this.unions.length > 0 || this.#patterns.length > 0 || isFlagged(othersName)
    return name !== othersName && !this.remember('rules', hasRules) && !this.names.includes(name) && !isFlagged(name)
  }

  #toField(name: string): ShapeMember {
    const described = this.#within({
      kind: kindBits.object,
      pick: (schema) => schemasOfField(schema, name)
    })
    const schemas = this.isOpen ? described : this.shapes.unionCache.requireNamed(described)
    const shape = this.#ofPatterns(name, schemas)
    const isFlagged = (flag: Flag) => isFlaggedByName(flag, name, this, this.shapes) || shape.has(flag)
    const isNamed = schemas.some((schema) => this.shapes.unionCache.accepts(schema))
    const isKnown = !schemas.includes(false) && (this.isOpen || isNamed)
    const isSettable = this.isRecord && this.shapes.flagged.settable?.has(name) === true
    const readOnly = !isSettable && isFlagged('readOnly')
    return { shape, isKnown, readOnly, writeOnly: isFlagged('writeOnly'), isSettable }
  }

  // A name may match several patterns, and each combination is a shape. Past a bound, the shape of
  // all rules for names stands for any combination.
  #ofPatterns(name: string, schemas: readonly SchemaValue[]): Shape {
    if (this.#patterns.length === 0 || this.names.includes(name)) return this.shapes.of(schemas)
    this.#patternShapes ??= new Set()
    const isFull = this.#patternShapes.size >= maxPatternShapes
    const shape = this.shapes.of(isFull ? [this.shapes.unionCache.unionOf([this.rulesOfNames, []])] : schemas)
    this.#patternShapes.add(shape)
    return shape
  }

  /** The schemas of fields that are described by patterns, or as additional properties. */
  get rulesOfNames(): readonly SchemaValue[] {
    return this.remember('rulesOfNames', () => {
      const others = [...this.subschemas].map(({ additionalProperties }) => additionalProperties)
      return [...new Set([...this.#patterns, ...others.filter(isPermission)])]
    })
  }

  get #patterns(): readonly SchemaValue[] {
    const list = () => [...this.subschemas].flatMap(({ patternProperties = {} }) => Object.values(patternProperties))
    return this.remember('patterns', list)
  }

  #within(place: MemberPlace): readonly SchemaValue[] {
    const { reader, unionCache } = this.shapes
    const possibleBranches = (branches: readonly SchemaValue[]) => this.possibleBranches(branches)
    return schemasWithin(this.schemas, { reader, possibleBranches, place, unionCache })
  }

  /** Returns an item of a list. Items behind those of a tuple share one member. */
  item(index: number): ShapeMember {
    const at = Math.min(index, this.#tupleLength)
    this.#items ??= []
    const ready = this.#items[at]
    if (ready !== undefined) return ready
    const schemas = this.#within({
      kind: kindBits.array,
      pick: (schema) => schemasOfItem(schema, at)
    })
    const shape = this.shapes.of(schemas)
    const member = { shape, isKnown: true, readOnly: shape.has('readOnly'), writeOnly: shape.has('writeOnly') }
    this.#items[at] = member
    return member
  }

  get #tupleLength(): number {
    const lengthOf = ({ items }: JsonSchema) => (Array.isArray(items) ? items.length : 0)
    return this.remember('tupleLength', () => Math.max(0, ...[...this.subschemas].map(lengthOf)))
  }

  /** The items of a tuple, followed by one for all further items. */
  get items(): readonly ShapeMember[] {
    return Array.from({ length: this.#tupleLength + 1 }, (_, index) => this.item(index))
  }

  get isTuple(): boolean {
    return this.#tupleLength > 0
  }

  /** The shapes of all fields and items that the schemas describe. */
  get memberShapes(): readonly Shape[] {
    const fields = [...this.names, othersName].map((name) => this.field(name))
    const members = [...fields, ...this.items].map(({ shape }) => shape)
    return [...members, ...this.#patterns.map((schema) => this.shapes.of([schema]))]
  }

  /** The codecs of the value: one for each branch of a union that has one. */
  get codecs(): readonly Codec[] {
    const list = () =>
      [...this.subschemas].map((schema) => schema[codecKeyword]).filter((codec) => codec instanceof Codec)
    return this.remember('codecs', () => [...new Set(list())])
  }

  /** Returns whether a union has a branch without a codec that accepts one of these kinds. */
  hasPlainBranch(kinds: number): boolean {
    // The branches within a codec's own schema describe the wire.
    const unions = [...this.subschemas].filter((schema) => !(schema[codecKeyword] instanceof Codec))
    const branches = unions.flatMap(unionBranches).map((branch) => this.shapes.of([branch]))
    return branches.some((branch) => branch.codecs.length === 0 && (branch.kinds & kinds) !== 0)
  }

  /** The names of fields in `properties`, in the order of the schemas. */
  get names(): readonly string[] {
    const list = () => [...this.subschemas].flatMap(({ properties = {} }) => Object.keys(properties))
    return this.remember('names', () => [...new Set(list())])
  }

  /** Whether a value may have any fields and items, and none of them can be flagged. */
  get acceptsAnyMembers(): boolean {
    const { isOpen, isRecord, shapes } = this
    const isWatched = shapes.recordNames !== undefined && shapes.flagged.writeOnly.size > 0
    return isOpen && !isRecord && !isWatched && this.describesNoMembers
  }

  /** Whether no schema describes fields or items. */
  get describesNoMembers(): boolean {
    const describes = (schema: JsonSchema) => statedOpenness(schema) !== undefined || describesItems(schema)
    return this.unions.length === 0 && ![...this.subschemas].some(describes)
  }

  /** Whether the schemas are meant for lists: they state the type, or describe items. */
  get isOfLists(): boolean {
    return (
      (this.kinds & kindBits.array) !== 0 && (this.kinds !== kindBits.all || [...this.subschemas].some(describesItems))
    )
  }

  /** The names that an object must have, whatever branch of a union it belongs to. */
  get required(): readonly string[] {
    const { reader } = this.shapes
    const onlyBranch = (branches: readonly SchemaValue[]) => {
      const objects = this.possibleBranches(branches).filter((branch) => (reader.kinds(branch) & kindBits.object) !== 0)
      // Beside `null` or a string there may be one branch for objects.
      return objects.length === 1 ? objects : []
    }
    return this.remember('required', () => requiredOf(unconditional(this.schemas, reader, onlyBranch)))
  }

  /** The names that any schema or branch requires. */
  get anyRequired(): readonly string[] {
    return this.remember('anyRequired', () => requiredOf(this.subschemas))
  }

  /** All shapes that the value and the values within it may have, at any depth. */
  get reachable(): ReadonlySet<Shape> {
    return this.remember('reachable', () => {
      const reachable = new Set<Shape>()
      const pending: Shape[] = [this]
      for (let shape = pending.pop(); shape !== undefined; shape = pending.pop()) {
        if (reachable.has(shape)) continue
        reachable.add(shape)
        pending.push(...shape.branchShapes, ...shape.memberShapes)
      }
      return reachable
    })
  }

  /** The shapes for each branch of each discriminated union, without branches of the others. */
  get branchShapes(): readonly Shape[] {
    const undecided = this.unions.map(({ branches }) => [branches, -1] as const)
    return this.unions.flatMap(({ branches }) =>
      [...branches.keys()].map((index) => this.choose(...undecided, [branches, index]))
    )
  }

  /** Computes a value that is derived from this shape once per key. */
  remember<T>(key: unknown, make: () => T): T {
    this.#derived ??= new Map()
    if (!this.#derived.has(key)) this.#derived.set(key, make())
    return this.#derived.get(key) as T
  }
}

const requiredOf = (schemas: ReadonlySet<JsonSchema>) => [
  ...new Set([...schemas].flatMap(({ required }) => (Array.isArray(required) ? required : [])))
]
