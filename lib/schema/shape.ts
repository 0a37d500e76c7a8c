import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { Alternatives } from './alternatives.js'
import { Codec, codecKeyword } from './codec.js'
import { type InnerPlace, opennessOf, ownOpenness, schemasWithin, speaksOfItems, surelyApplying } from './combined.js'
import { type FlaggedNames, isFlaggedByName } from './flagged-names.js'
import { flagKeywords, isSchema, unionBranches } from './keywords.js'
import {
  type Flag,
  isPermission,
  kindBits,
  type SchemaReader,
  schemasOfField,
  schemasOfItem,
  type TaggedUnion
} from './reader.js'

/** The branch that a value has chosen of each union with a tag; -1 where its tag is of none. */
type Choice = ReadonlyMap<readonly SchemaValue[], number>

/** A field or an item, with all that a shape says of it. */
export interface ShapeMember {
  readonly shape: Shape
  /** Whether a part of the shape lets a value stand there. */
  readonly isKnown: boolean
  readonly readOnly: boolean
  readonly writeOnly: boolean
  /** Whether an option lets clients set the field, whatever its flags are. */
  readonly isSettable?: boolean
}

/** No field has this name: it stands for those that no schema spells out. */
export const othersName = '\0'

// Limits of what values from clients can add: names, and combinations of patterns or of tags.
const maxNames = 1000
const maxPatternShapes = 64
const maxChoices = 1000

/**
 * The shapes of one schema: each set of schemas that apply to a place is one shape, however often
 * they meet.
 */
export class Shapes {
  readonly root: Shape
  readonly #records = new Set<JsonSchema>()
  readonly #shapes = new Map<string, Shape>()
  readonly alternatives = new Alternatives()

  /**
   * @param flagged names that options give. Without them and with `ignoresFlags`, nothing is
   * flagged
   */
  constructor(
    readonly reader: SchemaReader,
    readonly flagged: FlaggedNames,
    readonly ignoresFlags = false,
    /** The names of the fields of a record, where the schema is not that of the record. */
    readonly recordNames?: readonly string[]
  ) {
    const { bundle } = reader
    for (let schema: SchemaValue | undefined = bundle.schema; isSchema(schema) && !this.#records.has(schema); ) {
      this.#records.add(schema)
      schema = bundle.target(schema)
    }
    const { definitions = {}, $defs = {}, ...record } = bundle.schema
    const text = JSON.stringify(record)
    // Valibot writes a record within itself a second time, among the definitions.
    for (const definition of [...Object.values(definitions), ...Object.values($defs)])
      if (isSchema(definition) && JSON.stringify(definition) === text) this.#records.add(definition)
    this.root = this.of([bundle.schema])
  }

  /** The shape of the places that these schemas apply to. */
  of(schemas: readonly SchemaValue[], choice: Choice = new Map()): Shape {
    const choices = [...choice].map(([branches, index]) => `${this.alternatives.id(branches)}=${index}`)
    const key = `${this.alternatives.key(schemas)}|${choices}`
    const shape = this.#shapes.get(key) ?? new Shape(this, [...new Set(schemas)], choice)
    this.#shapes.set(key, shape)
    return shape
  }

  isRecord(schema: JsonSchema): boolean {
    return this.#records.has(schema)
  }
}

/**
 * All schemas that apply to one place of a value: through references, intersections, conditions and
 * dependencies, and of a union the branch that its tag chooses, or all branches where no tag does.
 */
export class Shape {
  /** Each of those schemas. */
  readonly parts = new Set<JsonSchema>()
  /** The unions that a value has yet to choose a branch of. */
  readonly unions: TaggedUnion[] = []
  /** The kinds of values that may stand there, as bits. */
  readonly kinds: number
  readonly isOpen: boolean
  readonly isRecord: boolean
  readonly #fields = new Map<string, ShapeMember>()
  readonly #patternShapes = new Set<Shape>()
  readonly #items: ShapeMember[] = []
  readonly #chosen = new Map<string, Shape>()
  readonly #derived = new Map<unknown, unknown>()

  constructor(
    readonly shapes: Shapes,
    readonly schemas: readonly SchemaValue[],
    readonly choice: Choice
  ) {
    for (const schema of schemas) this.#gather(schema)
    this.kinds = schemas.reduce<number>((all, schema) => all & shapes.reader.kinds(schema), kindBits.all)
    this.isOpen = opennessOf(schemas, shapes.reader, (branches) => this.chosenOf(branches)) !== 'closed'
    this.isRecord = [...this.parts].some((part) => shapes.isRecord(part))
  }

  #gather(schema: SchemaValue): void {
    if (!isSchema(schema) || this.parts.has(schema)) return
    const { reader } = this.shapes
    this.parts.add(schema)
    for (const part of reader.beside(schema)) this.#gather(part)
    for (const branches of [schema.anyOf, schema.oneOf]) {
      if (branches === undefined) continue
      const index = this.choice.get(branches)
      const union = index === undefined ? reader.unionOf(branches) : undefined
      if (union !== undefined) this.unions.push(union)
      else for (const branch of this.chosenOf(branches)) this.#gather(branch)
    }
  }

  /** The branch that was chosen of a union; all of them where none was. */
  chosenOf(branches: readonly SchemaValue[]): readonly SchemaValue[] {
    const index = this.choice.get(branches) ?? -1
    return index < 0 ? branches : [branches[index] as SchemaValue]
  }

  /** Returns the shape of values that have chosen these branches of unions; -1 for none. */
  choose(...chosen: readonly (readonly [branches: readonly SchemaValue[], index: number])[]): Shape {
    return this.shapes.of(this.schemas, new Map([...this.choice, ...chosen]))
  }

  /**
   * Whether the place itself is flagged: by any schema that applies, so that what one branch of a
   * union hides does not leave by another.
   */
  has(flag: Flag): boolean {
    return !this.shapes.ignoresFlags && [...this.parts].some((part) => part[flag] === true)
  }

  /** Whether the place, or a branch that a tag may choose, is flagged. */
  mayHave(flag: Flag): boolean {
    return !this.shapes.ignoresFlags && this.schemas.some((schema) => this.shapes.reader.isFlagged(schema, flag))
  }

  /**
   * The shape of a value: of an object the tags choose branches of unions. What is none has no tag,
   * so any branch may apply.
   */
  of(value: unknown): Shape {
    if (this.unions.length === 0) return this
    const indices = this.unions.map(({ tag, branchOf }) =>
      Object.hasOwn(Object(value), tag) ? (branchOf.get((value as Record<string, unknown>)[tag]) ?? -1) : -1
    )
    const key = this.#chosen.size < maxChoices ? indices.join() : ''
    let shape = this.#chosen.get(key)
    if (shape === undefined) {
      const chosen = this.unions.map(
        ({ branches }, at) => [branches, key === '' ? -1 : (indices[at] as number)] as const
      )
      shape = this.choose(...chosen)
      this.#chosen.set(key, shape)
    }
    // A branch may be a union with a tag of its own.
    return shape.of(value)
  }

  /** What the parts say of a field. */
  field(name: string): ShapeMember {
    const ready = this.#fields.get(name)
    if (ready !== undefined) return ready
    if (this.#isOrdinary(name)) return this.field(othersName)
    const member = this.#toField(name)
    if (this.#fields.size < maxNames) this.#fields.set(name, member)
    return member
  }

  /**
   * Whether nothing tells a name from all others that are not spelled out: a value may have very
   * many of these.
   */
  #isOrdinary(name: string): boolean {
    const isFlagged = (name: string) => flagKeywords.some((flag) => isFlaggedByName(flag, name, this, this.shapes))
    const hasRules = () => this.unions.length > 0 || this.#patterns.length > 0 || isFlagged(othersName)
    return name !== othersName && !this.remember('rules', hasRules) && !this.names.includes(name) && !isFlagged(name)
  }

  #toField(name: string): ShapeMember {
    const written = this.#within({
      kind: kindBits.object,
      pick: (part) => schemasOfField(part, name),
      pickUnevaluated: ({ unevaluatedProperties: rest }) => (isPermission(rest) ? rest : undefined)
    })
    const schemas = this.isOpen ? written : this.shapes.alternatives.naming(written)
    const shape = this.#ofPatterns(name, schemas)
    const isFlagged = (flag: Flag) => isFlaggedByName(flag, name, this, this.shapes) || shape.has(flag)
    const isNamed = schemas.some((schema) => this.shapes.alternatives.permits(schema))
    const isKnown = !schemas.includes(false) && (this.isOpen || isNamed)
    const isSettable = this.isRecord && this.shapes.flagged.settable?.has(name) === true
    const readOnly = !isSettable && isFlagged('readOnly')
    return { shape, isKnown, readOnly, writeOnly: isFlagged('writeOnly'), isSettable }
  }

  // Names that fit many patterns at once could make any number of shapes: past a bound all that is
  // said of names by rules applies.
  #ofPatterns(name: string, schemas: readonly SchemaValue[]): Shape {
    if (this.#patterns.length === 0 || this.names.includes(name)) return this.shapes.of(schemas)
    const isFull = this.#patternShapes.size >= maxPatternShapes
    const shape = this.shapes.of(isFull ? [this.shapes.alternatives.union([this.rulesOfNames, []])] : schemas)
    this.#patternShapes.add(shape)
    return shape
  }

  /** The schemas that describe fields by rules for their names. */
  get rulesOfNames(): readonly SchemaValue[] {
    return this.remember('rulesOfNames', () => {
      const others = [...this.parts].flatMap((part) => [part.additionalProperties, part.unevaluatedProperties])
      return [...new Set([...this.#patterns, ...others.filter(isPermission)])]
    })
  }

  get #patterns(): readonly SchemaValue[] {
    const list = () => [...this.parts].flatMap(({ patternProperties = {} }) => Object.values(patternProperties))
    return this.remember('patterns', list)
  }

  #within(place: InnerPlace): readonly SchemaValue[] {
    const { reader, alternatives } = this.shapes
    const chosenOf = (branches: readonly SchemaValue[]) => this.chosenOf(branches)
    return schemasWithin(this.schemas, { reader, chosenOf, place, toUnion: alternatives.union })
  }

  /** What the parts say of an item. */
  item(index: number): ShapeMember {
    const at = Math.min(index, this.#tupleLength)
    const ready = this.#items[at]
    if (ready !== undefined) return ready
    const schemas = this.#within({
      kind: kindBits.array,
      pick: (part) => schemasOfItem(part, at),
      pickUnevaluated: ({ unevaluatedItems }) => unevaluatedItems
    })
    const shape = this.shapes.of(schemas)
    const member = { shape, isKnown: true, readOnly: shape.has('readOnly'), writeOnly: shape.has('writeOnly') }
    this.#items[at] = member
    return member
  }

  get #tupleLength(): number {
    const lengthOf = ({ items }: JsonSchema) => (Array.isArray(items) ? items.length : 0)
    return this.remember('tupleLength', () => Math.max(0, ...[...this.parts].map(lengthOf)))
  }

  /** What the parts say of the items of a tuple, then of all further ones. */
  get items(): readonly ShapeMember[] {
    return Array.from({ length: this.#tupleLength + 1 }, (_, index) => this.item(index))
  }

  get isTuple(): boolean {
    return this.#tupleLength > 0
  }

  /** The shapes of the fields and items that the parts speak of, whatever value stands there. */
  get memberShapes(): readonly Shape[] {
    const fields = [...this.names, othersName].map((name) => this.field(name))
    const members = [...fields, ...this.items].map(({ shape }) => shape)
    return [...members, ...this.#patterns.map((schema) => this.shapes.of([schema]))]
  }

  /** The codecs of the place: one for each branch of a union that has one. */
  get codecs(): readonly Codec[] {
    const list = () => [...this.parts].map((part) => part[codecKeyword]).filter((codec) => codec instanceof Codec)
    return this.remember('codecs', () => [...new Set(list())])
  }

  /**
   * Returns whether a union at the place has a branch without a codec for values of one of these
   * kinds.
   */
  hasPlainBranch(kinds: number): boolean {
    // The branches of a codec's own part describe the wire.
    const unions = [...this.parts].filter((part) => !(part[codecKeyword] instanceof Codec))
    const branches = unions.flatMap(unionBranches).map((branch) => this.shapes.of([branch]))
    return branches.some((branch) => branch.codecs.length === 0 && (branch.kinds & kinds) !== 0)
  }

  /** The names of fields that the parts spell out, in their order. */
  get names(): readonly string[] {
    const list = () => [...this.parts].flatMap(({ properties = {} }) => Object.keys(properties))
    return this.remember('names', () => [...new Set(list())])
  }

  /** Whether the parts say nothing of fields and items. */
  get isSilent(): boolean {
    const { isOpen, isRecord, shapes } = this
    const isWatched = shapes.recordNames !== undefined && shapes.flagged.writeOnly.size > 0
    return isOpen && !isRecord && !isWatched && this.saysNothing
  }

  /** Whether no part speaks of fields or items. */
  get saysNothing(): boolean {
    const says = (part: JsonSchema) => ownOpenness(part) !== undefined || speaksOfItems(part)
    return this.unions.length === 0 && ![...this.parts].some(says)
  }

  /** Whether the schemas are written for lists: they state the type, or speak of items. */
  get isOfLists(): boolean {
    return (this.kinds & kindBits.array) !== 0 && (this.kinds !== kindBits.all || [...this.parts].some(speaksOfItems))
  }

  /** The names that an object must have, whatever branch of a union it is of. */
  get required(): readonly string[] {
    const { reader } = this.shapes
    const sureOf = (branches: readonly SchemaValue[]) => {
      const objects = this.chosenOf(branches).filter((branch) => (reader.kinds(branch) & kindBits.object) !== 0)
      // Beside `null` or a text there may be one branch for objects.
      return objects.length === 1 ? objects : []
    }
    return this.remember('required', () => requiredOf(surelyApplying(this.schemas, reader, sureOf)))
  }

  /** The names that any part asks for. */
  get anyRequired(): readonly string[] {
    return this.remember('anyRequired', () => requiredOf(this.parts))
  }

  /** A value that is derived from this shape once and stored by a key. */
  remember<T>(key: unknown, make: () => T): T {
    if (!this.#derived.has(key)) this.#derived.set(key, make())
    return this.#derived.get(key) as T
  }
}

const requiredOf = (parts: ReadonlySet<JsonSchema>) => [
  ...new Set([...parts].flatMap(({ required }) => (Array.isArray(required) ? required : [])))
]
