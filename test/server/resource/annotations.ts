import { type Exempt, evaluate, isObject, placeOf, schemasOfField, schemasOfItem } from './evaluation.js'
import { isNode, listOf, mapOf, type Node, References, type Schema } from './references.js'
import { Unions } from './unions.js'

type Flag = 'readOnly' | 'writeOnly'
/** What a schema says of names that it does not spell out. */
type Says = 'open' | 'closed' | 'silent'
/** What a schema itself says of a field or an item. */
type Own = (schema: Node) => readonly Schema[]

export interface Described {
  readonly document: Node
  /** Schemas of `app.addSchema`. */
  readonly shared?: readonly Node[]
  /** The options of `resource()`. */
  readonly readOnly?: readonly string[]
  readonly writeOnly?: readonly string[]
}

/** What leaves of a value, where that is not one value alone. */
export class Leaving {
  constructor(
    /** What is `hidden` is nowhere in an answer. What is `unfit` is left out, is `null`, or is there as it is or as what it stands for. */
    readonly kind: 'hidden' | 'unfit',
    readonly value: unknown
  ) {}
}

const hidden = new Leaving('hidden', undefined)

/**
 * What a schema says of the places of a record, as a plain reading of JSON Schema: `readOnly` and `writeOnly` are annotations, and those of each schema that applies to a
 * place hold there. A tag alone tells of which branch of a union a value is; without one each branch applies. What depends on a condition may hold or not: `if`, `then`, `else`,
 * `contains` and schemas that depend on a name apply always, `not` never.
 */
export class Annotations {
  readonly references: References
  readonly document: Node
  readonly #unions: Unions
  readonly #options: Partial<Record<Flag, readonly string[]>>
  /** The schema of the record, and those that it is another name for. */
  readonly #records = new Set<Schema>()
  // What has been asked for before: the same schema, value and key give the same answer.
  readonly #parts: Before<ReadonlySet<Node>> = new WeakMap()
  readonly #places: Before<Schema> = new WeakMap()

  constructor({ document, shared, ...options }: Described) {
    this.document = document
    this.#options = options
    this.references = new References(document, shared)
    this.#unions = new Unions(this.references)
    for (let node: Schema | undefined = document; isNode(node) && !this.#records.has(node); ) {
      this.#records.add(node)
      node = this.references.target(node)
    }
  }

  /** Whether an object may fit at all. */
  get mayBeObject(): boolean {
    return this.#unions.mayHold(this.document, {})
  }

  /** Whether the record as a whole has a flag, by a branch of a union or a condition. */
  isFlagged(value: unknown): boolean {
    return [...this.#applying(this.document, value)].some((part) => part.readOnly === true || part.writeOnly === true)
  }

  /** Why a whole record can't be set, if so. */
  refusal(value: unknown): string | undefined {
    if (!isObject(value)) return 'is no object'
    const exempt: Exempt = this.#exempt(this.document, value)
    const isValid = evaluate(this.document, value, this.references, exempt).isValid
    return this.refusedPlace(value) ?? (isValid ? undefined : 'does not fit')
  }

  /** Why a part of a record can't be set, if so: each of its fields is judged by itself, and nothing that is said of a whole record counts. */
  refusalOfPart(value: unknown): string | undefined {
    if (!isObject(value)) return 'is no object'
    const names = Object.keys(value)
    if (names.length === 0) return 'is empty'
    const isWrong = (name: string) => {
      const exempt = this.#exempt(this.#within(this.document, value, name), value[name])
      return this.#takes(this.document, name, value[name], exempt) === false
    }
    return this.refusedPlace(value) ?? (names.some(isWrong) ? 'does not fit' : undefined)
  }

  /** The first place of a value that can't be set: because only the server does, no part of the schema names it, or none has an object or a list there, which a library judges by itself. */
  refusedPlace(value: unknown, isOfLibrary = false, schema: Schema = this.document, place = ''): string | undefined {
    const keys = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : []
    for (const key of keys) {
      const at = placeOf(place, key)
      const inner = this.#within(schema, value, key)
      if (this.#isSet(schema, value, key, 'readOnly')) return `has what only the server sets, ${at}`
      if (isObject(value) && !this.#isNamed(schema, value, String(key))) return `has an unknown name, ${at}`
      const innerValue = Object(value)[key]
      const mayHold = isOfLibrary || this.#unions.mayHold(inner, innerValue)
      if (typeof innerValue === 'object' && innerValue !== null && !mayHold) return `does not fit, ${at}`
      const refused = this.refusedPlace(innerValue, isOfLibrary, inner, at)
      if (refused !== undefined) return refused
    }
    return undefined
  }

  /** What leaves of a value: fields that are hidden, or that no part names, do not, and neither does an object or a list where the schema has none. */
  leaving(value: unknown, schema: Schema = this.document): unknown {
    if (value === undefined) return hidden
    if (value === null) return value
    const isFit = this.#unions.mayHold(schema, value)
    if (typeof value !== 'object') return isFit ? value : new Leaving('unfit', value)
    if (!isFit) return hidden
    const inner = (key: string | number) => {
      const isNamed = !isObject(value) || this.#isNamed(schema, value, String(key))
      const isHidden = this.#isSet(schema, value, key, 'writeOnly')
      return isNamed && !isHidden ? this.leaving(Object(value)[key], this.#within(schema, value, key)) : hidden
    }
    if (Array.isArray(value)) return value.map((_, index) => inner(index))
    const fields = Object.keys(value).map((name) => [name, inner(name)] as const)
    return Object.fromEntries(fields.filter(([, leaves]) => leaves !== hidden))
  }

  /** The places of a value that have a flag, as JSON pointers. */
  flagged(flag: Flag, value: unknown, schema: Schema = this.document, place = ''): string[] {
    const keys = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : []
    return keys.flatMap((key) => {
      const at = placeOf(place, key)
      const inner = this.flagged(flag, Object(value)[key], this.#within(schema, value, key), at)
      return this.#isSet(schema, value, key, flag) ? [at, ...inner] : inner
    })
  }

  /** A value with all that only the server sets and that the schema asks for, as an example makes it. */
  filled(value: unknown, example: (schema: Schema) => unknown, schema: Schema = this.document): unknown {
    const inner = (key: string | number) => this.filled(Object(value)[key], example, this.#within(schema, value, key))
    if (Array.isArray(value)) return [...value.keys()].map(inner)
    if (!isObject(value)) return value
    const asked = this.#askedReadOnly(schema, value).filter((name) => !Object.hasOwn(value, name))
    const examples = asked.map((name) => [name, example(this.#within(schema, value, name))])
    return {
      ...Object.fromEntries(Object.keys(value).map((name) => [name, inner(name)])),
      ...Object.fromEntries(examples)
    }
  }

  /** A value without the places that have a flag. Where a tag goes with them, other branches apply to what is left. */
  without(flag: Flag, value: unknown, schema: Schema = this.document): unknown {
    const isLeft = (key: string | number) => !this.#isSet(schema, value, key, flag)
    const inner = (key: string | number) => this.without(flag, Object(value)[key], this.#within(schema, value, key))
    if (Array.isArray(value)) return [...value.keys()].filter(isLeft).map(inner)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.keys(value)
        .filter(isLeft)
        .map((name) => [name, inner(name)])
    )
  }

  /** Whether a field or an item has a flag: by any schema that applies to it, or by an option where the value is a record. */
  #isSet(schema: Schema, value: unknown, key: string | number, flag: Flag): boolean {
    const isRecord = [...this.#applying(schema, value)].some((part) => this.#records.has(part))
    if (isRecord && this.#options[flag]?.includes(String(key))) return true
    return [...this.#applying(this.#within(schema, value, key), Object(value)[key])].some((part) => part[flag] === true)
  }

  /** All schemas that apply to a value at its place. */
  #applying(schema: Schema, value: unknown): ReadonlySet<Node> {
    const gather = (part: Schema, parts: Set<Node>): Set<Node> => {
      if (!isNode(part) || parts.has(part)) return parts
      const { sure, unsure } = this.#inPlace(part, value)
      return [...sure, ...unsure.flat()].reduce((all, inner) => gather(inner, all), parts.add(part))
    }
    return once(this.#parts, schema, value, '', () => gather(schema, new Set()))
  }

  /** The schemas that a schema applies to the same place: those that a value must fit, and groups of those of which it must fit one. */
  #inPlace(schema: Node, value: unknown): { sure: readonly Schema[]; unsure: readonly (readonly Schema[])[] } {
    const unions = [schema.anyOf, schema.oneOf].filter((list) => list !== undefined).map(listOf)
    // Without `if` the others say nothing.
    const branches = schema.if === undefined ? [] : [schema.if, schema.then, schema.else]
    const conditions = [
      ...branches.filter((part) => part !== undefined),
      ...mapOf(schema.dependentSchemas).values(),
      ...mapOf(schema.dependencies).values()
    ] as Schema[]
    return {
      sure: this.#unions.must(schema),
      unsure: [
        ...unions.map((branches) => this.#unions.branches(branches, value)),
        ...conditions.map((part) => [part, true]),
        ...(schema.either === undefined ? [] : [this.#unions.branches(listOf(schema.either), value)])
      ]
    }
  }

  /** What a schema says of a field or an item of a value, as a schema: that of each part that must fit, and in `either` those of parts that may. */
  #within(schema: Schema, value: unknown, key: string | number): Schema {
    const step: Own = (part) => (typeof key === 'number' ? ofItem(part, key) : ofField(part, key)).map(named)
    const rest = typeof key === 'number' ? 'unevaluatedItems' : 'unevaluatedProperties'
    const inner = (part: Schema): Schema => {
      if (!isNode(part)) return true
      const { sure, unsure } = this.#inPlace(part, value)
      // A branch of another type says nothing of fields or items.
      const groups = unsure.map((group) => group.filter((branch) => this.#unions.mayHold(branch, value)).map(inner))
      const others = part[rest] as Schema | undefined
      const isSeen = others === undefined || others === false || this.#surelySees(part, value, step, rest)
      const last = isSeen ? true : this.#maySee(part, value, step, rest) ? either([true, named(others)]) : named(others)
      return all([...step(part), ...sure.map(inner), ...groups.map(either), last])
    }
    const isNamedByAPart = typeof key === 'string' && this.#says(schema, value) === 'closed'
    return once(this.#places, schema, value, key, () => (isNamedByAPart ? notSilent(inner(schema)) : inner(schema)))
  }

  /** Whether a schema says something of a field or an item in whichever branch the value is. */
  #surelySees(schema: Schema, value: unknown, own: Own, rest: string): boolean {
    if (!isNode(schema)) return false
    const { sure, unsure } = this.#inPlace(schema, value)
    const sees = (part: Schema) =>
      (isNode(part) && part[rest] !== undefined) || this.#surelySees(part, value, own, rest)
    const groups = unsure.map((group) => group.filter((part) => this.#unions.mayHold(part, value)))
    return own(schema).length > 0 || sure.some(sees) || groups.some((group) => group.length > 0 && group.every(sees))
  }

  #maySee(schema: Schema, value: unknown, own: Own, rest: string): boolean {
    const sees = (part: Node) => own(part).length > 0 || (part !== schema && part[rest] !== undefined)
    return [...this.#applying(schema, value)].some(sees)
  }

  /** Whether a name is one that a record may have: a part names it, or they are open. */
  #isNamed(schema: Schema, record: Readonly<Record<string, unknown>>, name: string): boolean {
    const parts = [...this.#naming(schema, record)]
    const isSpelt = parts.some((part) => ofField(part, name).some((field) => field !== false))
    const isRest = parts.some(({ unevaluatedProperties: rest }) => rest !== undefined && rest !== false)
    return !this.#forbids(schema, record, name) && (isSpelt || isRest || this.#says(schema, record) !== 'closed')
  }

  /** The schemas that may name fields of a record: a branch of another type, or that no value fits, says nothing of them. */
  #naming(schema: Schema, record: unknown, parts = new Set<Node>()): ReadonlySet<Node> {
    if (!isNode(schema) || parts.has(schema)) return parts
    parts.add(schema)
    const { sure, unsure } = this.#inPlace(schema, record)
    const possible = unsure.flat().filter((part) => this.#unions.mayHold(part, record))
    for (const part of [...sure, ...possible]) this.#naming(part, record, parts)
    return parts
  }

  /** Whether no value may stand in a field. */
  #forbids(schema: Schema, record: unknown, name: string): boolean {
    if (!isNode(schema)) return false
    const { sure, unsure } = this.#inPlace(schema, record)
    const forbids = (part: Schema) => this.#forbids(part, record, name)
    // A branch of another type says nothing of fields.
    const groups = unsure.map((group) => group.filter((part) => this.#unions.mayHold(part, record)))
    const inAny = groups.some((group) => group.length > 0 && group.every(forbids))
    return ofField(schema, name).includes(false) || sure.some(forbids) || inAny
  }

  /** Whether other names are taken: a part that speaks of names closes them, one that takes all opens them, and one that is silent does neither. Conditions close nothing. */
  #says(schema: Schema, value: unknown): Says {
    if (!isNode(schema)) return 'silent'
    const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
    const isAny = (rest: unknown) => rest === true || (isNode(rest) && Object.keys(rest).length === 0)
    if (isAny(additionalProperties) || isAny(unevaluatedProperties)) return 'open'
    const keywords = [properties, patternProperties, additionalProperties, unevaluatedProperties]
    const { sure, unsure } = this.#inPlace(schema, value)
    const ofGroup = (group: readonly Schema[]): Says => {
      const said = group.filter((part) => this.#unions.mayHold(part, {})).map((part) => this.#says(part, value))
      return said.includes('open') ? 'open' : said.includes('silent') || said.length === 0 ? 'silent' : 'closed'
    }
    const all = [...sure.map((part) => this.#says(part, value)), ...unsure.map(ofGroup)]
    if (all.includes('open')) return 'open'
    return all.includes('closed') || keywords.some((keyword) => keyword !== undefined) ? 'closed' : 'silent'
  }

  /** By the JSON pointer of each part of a value the names that only the server sets. */
  #exempt(schema: Schema, value: unknown, place = '', exempt = new Map<string, ReadonlySet<string>>()) {
    const keys = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : []
    for (const key of keys)
      this.#exempt(this.#within(schema, value, key), Object(value)[key], placeOf(place, key), exempt)
    if (!isObject(value)) return exempt
    const spelt = [...this.#applying(schema, value)].flatMap((part) => [...mapOf(part.properties).keys()])
    const isLeft = (name: string) => !Object.hasOwn(value, name) && this.#isSet(schema, value, name, 'readOnly')
    return exempt.set(place, new Set([...this.#askedReadOnly(schema, value), ...spelt.filter(isLeft)]))
  }

  /** The names that an object is asked for and that only the server sets. */
  #askedReadOnly(schema: Schema, value: unknown): string[] {
    const names = [...this.#applying(schema, value)].flatMap((part) => {
      const lists = [part.dependencies, part.dependentRequired].flatMap((map) => Object.values(Object(map)))
      return [part.required ?? [], ...lists.filter(Array.isArray)].flat() as string[]
    })
    return names.filter((name) => this.#isSet(schema, value, name, 'readOnly'))
  }

  /** Whether what a schema says of a field takes a value. It says nothing where it does not name it. Of a union one branch that names the field must take the value. */
  #takes(schema: Schema, name: string, value: unknown, exempt: Exempt): boolean | undefined {
    if (!isNode(schema)) return undefined
    const fits = (part: Schema) => evaluate(part, value, this.references, exempt).isValid
    const inPart = (part: Schema) => this.#takes(part, name, value, exempt)
    const inUnion = (union: unknown) => {
      const branches = listOf(union).map((branch) => ({ branch, verdict: inPart(branch) }))
      const isFree = (branch: Schema) => this.#unions.mayHold(branch, {}) && this.#says(branch, {}) !== 'closed'
      if (branches.every(({ verdict }) => verdict === undefined)) return undefined
      return branches.some(({ branch, verdict }) => verdict ?? isFree(branch))
    }
    const all = [
      ...ofField(schema, name).map(fits),
      ...this.#unions.must(schema).map(inPart),
      ...[schema.anyOf, schema.oneOf].map(inUnion)
    ]
    const said = all.filter((verdict) => verdict !== undefined)
    const rest = schema.unevaluatedProperties as Schema | undefined
    if (said.length === 0 && rest !== undefined) return fits(rest)
    return said.length === 0 ? undefined : !said.includes(false)
  }
}

type Before<T> = WeakMap<object, Map<unknown, Map<string | number, T>>>
const noObject = {}

function once<T>(before: Before<T>, schema: Schema, value: unknown, key: string | number, make: () => T): T {
  const holder = typeof value === 'object' && value !== null ? value : noObject
  const bySchema = before.get(holder) ?? new Map<unknown, Map<string | number, T>>()
  const byKey = bySchema.get(schema) ?? new Map<string | number, T>()
  const made = byKey.has(key) ? (byKey.get(key) as T) : make()
  byKey.set(key, made)
  bySchema.set(schema, byKey)
  before.set(holder, bySchema)
  return made
}

// `true` says nothing, and is left out.
const all = (parts: readonly Schema[]): Schema => {
  const said = parts.filter((part) => part !== true)
  const [first = true] = said
  return said.length < 2 ? first : { allOf: said }
}

const either = (parts: readonly Schema[]): Schema => (parts.every((part) => part === true) ? true : { either: parts })

// A part that takes anything speaks of the place, other than one that says nothing.
const named = (schema: Schema): Schema => (schema === true ? {} : schema)

/** The sets of schemas of which one applies. */
const choices = (schema: Schema): (readonly Schema[])[] => {
  if (schema === true) return [[]]
  if (!isNode(schema)) return [[schema]]
  if (schema.either !== undefined) return listOf(schema.either).flatMap(choices)
  if (Object.keys(schema).join() !== 'allOf') return [[schema]]
  return listOf(schema.allOf).reduce<(readonly Schema[])[]>(
    (sets, part) => sets.flatMap((set) => choices(part).map((other) => [...set, ...other])),
    [[]]
  )
}

/** What is said of a place that one of the parts must name: not that none of them does. */
const notSilent = (schema: Schema): Schema => {
  const sets = choices(schema)
  const naming = sets.filter((set) => set.length > 0)
  const [first = []] = naming
  return naming.length === sets.length || naming.length === 0
    ? schema
    : naming.length === 1
      ? all(first)
      : either(naming.map(all))
}

// That there may be no other names says nothing of one.
const ofField = (schema: Node, name: string): readonly Schema[] =>
  schemasOfField(schema.additionalProperties === false ? { ...schema, additionalProperties: undefined } : schema, name)

const ofItem = (schema: Node, index: number): readonly Schema[] => [
  ...schemasOfItem(schema, index),
  ...(schema.contains === undefined ? [] : [{ if: schema.contains }])
]
