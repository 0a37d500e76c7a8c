import type { SchemaValue } from '../../types/standard-schema.js'
import { type UnionKeyword, unionKeywords } from './keywords.js'
import { kindBits, schemasOfField } from './reader.js'
import type { Shape, ShapeMember, Shapes } from './shape.js'

export type Path = readonly (string | number)[]

/** What is wrong with a place of a value. `must` says it as part of a sentence, as in `must be an integer`. */
export interface Fault {
  readonly path: Path
  readonly keyword: string
  readonly must: string
}

/** Where a value stands in another, which has none. A linked list: a path is needed for a fault alone, and paths of all places of a deeply nested value would take the square of its size. */
export interface Place {
  readonly key: string | number
  readonly within: Place | undefined
}

/** The path to a place, behind that to the value in which it stands. */
export function pathOfPlace(place: Place | undefined, start: Path = []): Path {
  const keys: (string | number)[] = []
  for (let part = place; part !== undefined; part = part.within) keys.push(part.key)
  return [...start, ...keys.reverse()]
}

/** The fields that an object of a value may lack, since only the server sets them. */
export interface ServerFields {
  readonly place: Place | undefined
  readonly shape: Shape
  readonly names: ReadonlySet<string>
}

/** The objects of a value whose schema has fields that only the server sets, with the names of those that it asks for. */
export type ServerFieldsByObject = ReadonlyMap<object, ServerFields>

/** What a walk through a value has met. */
export interface Visit {
  readonly faults: readonly Fault[]
  /** Objects and lists where the schema allows none. A check by JSON Schema says it better, but may leave it out: a branch of a union that does not name a field takes anything there. */
  readonly misplaced: readonly Fault[]
  readonly serverFields: ServerFieldsByObject
  /**
   * Whether a library might take seconds, and gigabytes, to say all that is wrong: zod and ArkType copy the path of a fault at each of its levels. The check by JSON Schema ends with the first
   * fault, so it is asked before.
   */
  readonly isCostlyToRefuse: boolean
}

/** How deep a value may be nested. */
export const maxDepth = 1000
/** How many faults an error lists at most. */
export const maxFaults = 20
// The branches of unions that a library may have to try, for each place of a value and beside.
const triesForEach = 100
const triesBeside = 10_000
// The squares of the depths of all values, up to which a library is asked at once: 10,000 values that are nested 20 deep.
const squaresOfDepths = 4_000_000

/** How many branches of unions a library tries for a field, of those that no tag decides. */
export type CountTries = (shape: Shape, name: string) => number

/** The count for checks that decide each tagged union by its tag: that of JSON Schema, and ArkType. */
export const triesBesideTags: CountTries = createCount(() => true)
/** The count for libraries that use a tag only where the schema declares it (`discriminatedUnion`, `variant`), and try all branches in order otherwise. */
export const triesInOrder: CountTries = createCount((keyword) => keyword === 'oneOf')

function createCount(isDecided: (keyword: UnionKeyword) => boolean): CountTries {
  const unionsOf = (shape: Shape) =>
    shape.remember(unionsOf, () =>
      [...shape.parts].flatMap((part) =>
        unionKeywords.flatMap((keyword) => {
          const branches = part[keyword] ?? []
          const chosen = shape.choice.get(branches) ?? -1
          if (branches.length === 0 || (chosen >= 0 && isDecided(keyword))) return []
          return [chosen >= 0 ? branches.slice(0, chosen + 1) : branches]
        })
      )
    )
  return function count(shape, name) {
    const unions = unionsOf(shape)
    if (unions.length === 0) return 1
    const ready = shape.remember(count, () => new Map<string, number>())
    const tries =
      ready.get(name) ??
      unions.reduce(
        (product, branches) => product * Math.max(1, branches.filter((branch) => speaksOf(shape, branch, name)).length),
        1
      )
    if (shape.names.includes(name)) ready.set(name, tries)
    return tries
  }
}

const speaksOf = ({ shapes }: Shape, branch: SchemaValue, name: string) =>
  [...shapes.of([branch]).parts].some((part) => schemasOfField(part, name).length > 0)

/**
 * Visits each place of a value once: tells of fields that only the server sets, of names that the schema does not have, and of values that are nested too deep, or for which a check would try too
 * many branches of unions.
 */
export function visitIncoming(shapes: Shapes, value: object, path: Path, countTries: CountTries): Visit {
  const walk = new IncomingWalk(path, countTries)
  walk.visit(value, shapes.root, undefined, 0, 1)
  return walk
}

class IncomingWalk implements Visit {
  readonly faults: Fault[] = []
  readonly misplaced: Fault[] = []
  readonly serverFields = new Map<object, ServerFields>()
  readonly #start: Path
  readonly #countTries: CountTries
  #places = 0
  #tries = 0
  #squares = 0
  #isOver = false

  constructor(start: Path, countTries: CountTries) {
    this.#start = start
    this.#countTries = countTries
  }

  get isCostlyToRefuse(): boolean {
    return this.#squares > squaresOfDepths
  }

  visit(value: object, shape: Shape, place: Place | undefined, depth: number, tries: number): void {
    if (value instanceof Blob || this.#isOver) return
    this.#tries += tries
    this.#places++
    const isTooMuch = this.#tries > triesBeside + triesForEach * this.#places
    if (depth > maxDepth) this.#end(place, `is nested more than ${maxDepth} deep`)
    else if (isTooMuch) this.#end(place, 'is nested too deep in unions')
    // Refused here, since some libraries take a list for an object, and a projection would then leave it out of the response.
    else if (Array.isArray(value) && (shape.kinds & ~kindBits.null) === kindBits.object)
      this.#tell(place, 'must be an object', 'type')
    else if ((shape.kinds & (Array.isArray(value) ? kindBits.array : kindBits.object)) === 0) {
      if (this.misplaced.length < maxFaults)
        this.misplaced.push({ path: pathOfPlace(place, this.#start), keyword: 'type', must: 'is not valid' })
    } else if (Array.isArray(value)) this.#visitItems(value, shape.of(value), place, depth, tries)
    else this.#visitFields(value as Record<string, unknown>, shape.of(value), place, depth, tries)
  }

  #visitItems(items: readonly unknown[], shape: Shape, within: Place | undefined, depth: number, tries: number): void {
    this.#squares += items.length * depth ** 2
    for (const [key, item] of items.entries()) {
      const member = shape.item(key)
      if (isReadOnly(member, item)) this.#tell({ key, within }, 'can not be set', 'readOnly')
      else if (typeof item === 'object' && item !== null)
        this.visit(item, member.shape, { key, within }, depth + 1, tries)
    }
  }

  #visitFields(
    value: Record<string, unknown>,
    shape: Shape,
    within: Place | undefined,
    depth: number,
    tries: number
  ): void {
    const keys = Object.keys(value)
    this.#squares += keys.length * depth ** 2
    for (const key of keys) {
      const member = shape.field(key)
      const inner = value[key]
      if (isReadOnly(member, inner)) this.#tell({ key, within }, 'can not be set', 'readOnly')
      else if (!member.isKnown) this.#tell({ key, within }, 'is not known', 'additionalProperties')
      else if (typeof inner === 'object' && inner !== null)
        this.visit(inner, member.shape, { key, within }, depth + 1, tries * this.#countTries(shape, key))
    }
    const names = namesOfServer(shape)
    if (names.size > 0 || isCompletedByServer(shape)) this.serverFields.set(value, { place: within, shape, names })
  }

  #tell(place: Place | undefined, must: string, keyword: string): void {
    if (this.faults.length < maxFaults) this.faults.push({ path: pathOfPlace(place, this.#start), keyword, must })
    else this.#isOver = true
  }

  #end(place: Place | undefined, must: string): void {
    this.#isOver = true
    // The path of the place itself would be as long as the value is deep, so the fault names the field of the record.
    const path = pathOfPlace(place, this.#start).slice(0, this.#start.length + 1)
    this.faults.push({ path, keyword: 'maxDepth', must })
  }
}

const namesOfServer = (shape: Shape): ReadonlySet<string> =>
  shape.remember(
    namesOfServer,
    () => new Set(shape.anyRequired.filter((name) => isReadOnly(shape.field(name), undefined)))
  )

const isCompletedByServer = (shape: Shape): boolean => countServerFields(shape) > 0

/** Counts the fields of an object that only the server sets. */
const countServerFields = (shape: Shape): number =>
  shape.remember(countServerFields, () => {
    const spelledOut = shape.names.filter((name) => isReadOnly(shape.field(name), undefined))
    return new Set([...spelledOut, ...namesOfServer(shape)]).size
  })

/** The fewest fields that a client must send for `minProperties`: the server adds its own fields, but an empty object is none. */
export const leastSent = (least: number, added: number): number => Math.max(Math.min(least, 1), least - added)

/** The same for an object of a value. */
export const leastFields = (least: number, fields: ServerFields | undefined): number =>
  fields === undefined ? least : leastSent(least, countServerFields(fields.shape))

/** Whether only the server sets a value: each branch of a union that it may be of says that of the whole. What is missing may be of any branch. */
export const isReadOnly = ({ readOnly, isSettable, shape }: ShapeMember, value: unknown) =>
  readOnly || (!isSettable && shape.unions.length > 0 && shape.of(value).has('readOnly'))

/** Finds the fields of a value that only the server sets, by a schema that may be another one than that of the value. */
export function findReadOnly(shapes: Shapes, value: unknown, path: Path): readonly Fault[] {
  const faults: Fault[] = []
  const visit = (value: unknown, shape: Shape, within: Place | undefined): void => {
    if (typeof value !== 'object' || value === null || value instanceof Blob) return
    const chosen = shape.of(value)
    for (const [name, inner] of Object.entries(value)) {
      if (faults.length >= maxFaults) return
      const key = Array.isArray(value) ? Number(name) : name
      const member = typeof key === 'number' ? chosen.item(key) : chosen.field(key)
      if (isReadOnly(member, inner))
        faults.push({ path: pathOfPlace({ key, within }, path), keyword: 'readOnly', must: 'can not be set' })
      else visit(inner, member.shape, { key, within })
    }
  }
  visit(value, shapes.root, undefined)
  return faults
}
