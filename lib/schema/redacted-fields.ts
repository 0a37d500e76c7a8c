import { toRegExp } from './bundle.js'
import type { NameSet } from './flagged-names.js'
import { kindBits } from './reader.js'
import { othersName, type Shape, type ShapeMember, type Shapes } from './shape.js'

/**
 * Returns whether a string may be serialized JSON or a PostgreSQL row, as some drivers return it.
 */
export const mayBeSerialized = (text: string): boolean => /^\s*[[{("]/.test(text)

/**
 * The names of hidden fields, at any depth, in values without a schema of their own: errors, fields
 * of a page, open answers of custom methods.
 */
export class RedactedFields implements NameSet {
  readonly #hidden: ReadonlySet<string>
  readonly #hiddenPatterns: readonly RegExp[]
  readonly #hidesUnnamed: boolean
  readonly #described: ReadonlySet<string>
  readonly #withoutText: ReadonlySet<string>
  readonly #withoutTextPatterns: readonly RegExp[]
  readonly #hidesTextUnnamed: boolean
  /**
   * Fields whose values have no field names to redact by: additional properties and array items.
   */
  readonly containers: ReadonlySet<string>

  /** @param removed further names, of fields that the response schema does not have */
  constructor(schemas: readonly Shapes[], removed: Iterable<string> = []) {
    const shapes = schemas.flatMap(({ root }) => [...root.reachable])
    const others = shapes.map((shape) => shape.field(othersName))
    const namesWhere = (is: (member: ShapeMember) => boolean) =>
      shapes.flatMap((shape) => shape.names.filter((name) => is(shape.field(name))))
    const patternsWhere = (is: (shape: Shape) => boolean) =>
      [...new Set(shapes.flatMap((shape) => namePatterns(shape, is)))].map((pattern) => toRegExp(pattern))
    const ofHiddenBranches = schemas.flatMap(({ root }) => namesOfHiddenBranches(root))
    this.#hidden = new Set([...removed, ...ofHiddenBranches, ...namesWhere(({ writeOnly }) => writeOnly)])
    this.#hiddenPatterns = patternsWhere(hidesUnnamed)
    this.#hidesUnnamed = others.some(isContainer)
    this.containers = new Set(namesWhere(isContainer))
    this.#described = new Set(shapes.flatMap(({ names }) => names))
    this.#withoutText = new Set(namesWhere(({ shape }) => redactsTexts(shape)))
    this.#withoutTextPatterns = patternsWhere(redactsTexts)
    this.#hidesTextUnnamed = others.some(({ shape }) => redactsTexts(shape))
  }

  get size(): number {
    return this.#hidden.size + this.containers.size + this.#hiddenPatterns.length + Number(this.#hidesUnnamed)
  }

  /** Returns whether fields of this name are hidden wherever they occur. */
  has(name: string): boolean {
    return this.#hidden.has(name) || this.#hiddenPatterns.some((pattern) => pattern.test(name))
  }

  /** The hidden names that schemas list, and the names of containers. */
  get names(): readonly string[] {
    return [...this.#hidden, ...this.containers]
  }

  /**
   * Returns whether to remove a field from a value without a schema. If an object hides its
   * additional properties, every name that no schema lists may be one of them.
   */
  mayHave(name: string): boolean {
    return this.has(name) || this.containers.has(name) || (this.#hidesUnnamed && !this.#described.has(name))
  }

  /**
   * Returns whether a string in a field of this name may be the JSON of an object with hidden
   * fields.
   */
  redactsText(name: string): boolean {
    return this.#withoutText.has(name) || this.#withoutTextPatterns.some((pattern) => pattern.test(name))
  }

  /** Returns the same for a value without a schema. */
  mayRedactText(name: string): boolean {
    return this.redactsText(name) || (this.#hidesTextUnnamed && !this.#described.has(name))
  }
}

/** Returns the names that only branches have which are hidden as a whole. */
function namesOfHiddenBranches(root: Shape): string[] {
  const branches = new Set(root.branchShapes)
  for (const branch of branches) for (const inner of branch.branchShapes) branches.add(inner)
  const hidden = [...branches].filter((branch) => branch.has('writeOnly'))
  const visible = new Set([...branches].flatMap((branch) => (hidden.includes(branch) ? [] : branch.names)))
  return hidden.flatMap(({ names }) => names.filter((name) => !visible.has(name)))
}

const isContainer = ({ writeOnly, shape }: ShapeMember) => writeOnly || hidesUnnamed(shape)

/** Returns the patterns of such fields. A pattern that matches every name is no help. */
const namePatterns = ({ shapes, subschemas }: Shape, is: (shape: Shape) => boolean): string[] =>
  [...subschemas].flatMap(({ patternProperties = {} }) =>
    Object.entries(patternProperties).flatMap(([pattern, schema]) =>
      is(shapes.of([schema])) && !toRegExp(pattern).test(othersName) ? [pattern] : []
    )
  )

/** Returns whether a value hides something, at any depth. */
export const hidesWithin = (start: Shape): boolean =>
  start.remember(hidesWithin, () => {
    const members = (shape: Shape) => [...[...shape.names, othersName].map((name) => shape.field(name)), ...shape.items]
    return [...start.reachable].some(
      (shape) => shape.has('writeOnly') || members(shape).some(({ writeOnly }) => writeOnly)
    )
  })

/**
 * Returns whether a string is never sent in place of a value: its schema accepts no strings, or it
 * states no type and describes objects with hidden fields.
 */
export const redactsTexts = (shape: Shape): boolean =>
  !shape.describesNoMembers &&
  (shape.kinds === kindBits.all || (shape.kinds & kindBits.string) === 0) &&
  hidesWithin(shape)

/**
 * Returns whether a value hides something without a name: additional properties, items, or a whole
 * branch of its union.
 */
function hidesUnnamed(shape: Shape, visited = new Set<Shape>()): boolean {
  if (visited.has(shape)) return false
  visited.add(shape)
  return (
    shape.has('writeOnly') ||
    [shape.field(othersName), ...shape.items].some(
      (member) => member.writeOnly || hidesUnnamed(member.shape, visited)
    ) ||
    shape.branchShapes.some((branch) => hidesUnnamed(branch, visited))
  )
}
