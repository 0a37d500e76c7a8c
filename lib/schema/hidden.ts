import { toRegExp } from './bundle.js'
import type { NameSet } from './flagged-names.js'
import { kindBits } from './reader.js'
import { othersName, type Shape, type ShapeMember, type Shapes } from './shape.js'

/**
 * Whether a text may be an object or a list that a database gives as a text: JSON, once or twice,
 * or a row.
 */
export const mayBeObject = (text: string): boolean => /^\s*[[{("]/.test(text)

/** All shapes that the places of a value may have, at any depth. */
export const allShapes = (start: Shape): ReadonlySet<Shape> => start.remember(allShapes, () => gather(start))

function gather(start: Shape): ReadonlySet<Shape> {
  const shapes = new Set<Shape>()
  const next = [start]
  for (let shape = next.pop(); shape !== undefined; shape = next.pop()) {
    if (shapes.has(shape)) continue
    shapes.add(shape)
    next.push(...chosenShapes(shape), ...shape.memberShapes)
  }
  return shapes
}

/** The shapes of values that have chosen a branch, of each union by itself. */
function chosenShapes(shape: Shape): Shape[] {
  const others = shape.unions.map(({ branches }) => [branches, -1] as const)
  return shape.unions.flatMap(({ branches }) =>
    [...branches.keys()].map((index) => shape.choose(...others, [branches, index]))
  )
}

/**
 * The fields that schemas hide, at any depth, by their names: those that are spelled out, and those
 * that a pattern describes.
 */
export class HiddenNames implements NameSet {
  readonly #flagged: ReadonlySet<string>
  readonly #patterns: readonly RegExp[]
  readonly #spelledOut: ReadonlySet<string>
  readonly #hidesOthers: boolean
  readonly #textless: ReadonlySet<string>
  readonly #textlessPatterns: readonly RegExp[]
  readonly #hasTextlessOthers: boolean
  /** The names of fields that hold what has no names to hide it by: further fields, and items. */
  readonly holders: ReadonlySet<string>

  /** @param left further names, which are hidden for another reason */
  constructor(schemas: readonly Shapes[], left: Iterable<string> = []) {
    const shapes = schemas.flatMap(({ root }) => [...allShapes(root)])
    const namesWhere = (is: (member: ShapeMember) => boolean) =>
      shapes.flatMap((shape) => shape.names.filter((name) => is(shape.field(name))))
    const ofHiddenRecords = schemas.flatMap(({ root }) => namesOfHidden(root))
    this.#flagged = new Set([...left, ...ofHiddenRecords, ...namesWhere(({ writeOnly }) => writeOnly)])
    this.holders = new Set(namesWhere(isHiding))
    this.#spelledOut = new Set(namesWhere(() => true))
    const patternsWhere = (is: (shape: Shape) => boolean) =>
      [...new Set(shapes.flatMap((shape) => namingPatterns(shape, is)))].map((pattern) => toRegExp(pattern))
    this.#patterns = patternsWhere(hidesUnnamed)
    this.#hidesOthers = shapes.some((shape) => isHiding(shape.field(othersName)))
    this.#textless = new Set(namesWhere(({ shape }) => hidesTexts(shape)))
    this.#textlessPatterns = patternsWhere(hidesTexts)
    this.#hasTextlessOthers = shapes.some((shape) => hidesTexts(shape.field(othersName).shape))
  }

  get size(): number {
    return this.#flagged.size + this.holders.size + this.#patterns.length + Number(this.#hidesOthers)
  }

  has(name: string): boolean {
    return this.#flagged.has(name) || this.#patterns.some((pattern) => pattern.test(name))
  }

  /** The hidden names that are spelled out. */
  get names(): readonly string[] {
    return [...this.#flagged, ...this.holders]
  }

  /**
   * Whether a value of which nothing else is known must not have a field: where an object hides all
   * further fields, each name that no schema spells out may be that of one.
   */
  mayHave(name: string): boolean {
    return this.has(name) || this.holders.has(name) || (this.#hidesOthers && !this.#spelledOut.has(name))
  }

  /**
   * Whether a field of this name is an object that hides fields, or a list of them: a text in its
   * place may be the JSON of it, with all of them.
   */
  isTextless(name: string): boolean {
    return this.#textless.has(name) || this.#textlessPatterns.some((pattern) => pattern.test(name))
  }

  /** The same of a value of which nothing else is known. */
  mayBeTextless(name: string): boolean {
    return this.isTextless(name) || (this.#hasTextlessOthers && !this.#spelledOut.has(name))
  }
}

/** The names that only those branches of a record have which are hidden as a whole. */
function namesOfHidden(root: Shape): string[] {
  const branches = new Set(chosenShapes(root))
  for (const branch of branches) for (const chosen of chosenShapes(branch)) branches.add(chosen)
  const hidden = [...branches].filter((branch) => branch.has('writeOnly'))
  const shown = new Set([...branches].flatMap((branch) => (hidden.includes(branch) ? [] : branch.names)))
  return hidden.flatMap(({ names }) => names.filter((name) => !shown.has(name)))
}

const isHiding = ({ writeOnly, shape }: ShapeMember) => writeOnly || hidesUnnamed(shape)

// A pattern that fits all names tells none from others.
const namingPatterns = ({ shapes, parts }: Shape, is: (shape: Shape) => boolean): string[] =>
  [...parts].flatMap(({ patternProperties = {} }) =>
    Object.entries(patternProperties).flatMap(([pattern, schema]) =>
      is(shapes.of([schema])) && !toRegExp(pattern).test(othersName) ? [pattern] : []
    )
  )

/** Whether a value hides something, at any depth. */
export const hidesWithin = (start: Shape): boolean =>
  start.remember(hidesWithin, () => {
    const members = (shape: Shape) => [...[...shape.names, othersName].map((name) => shape.field(name)), ...shape.items]
    return [...allShapes(start)].some(
      (shape) => shape.has('writeOnly') || members(shape).some(({ writeOnly }) => writeOnly)
    )
  })

/**
 * Whether no text leaves in the place of a value: its schema lets none pass, or says of objects
 * what they hide and nothing of other kinds.
 */
export const hidesTexts = (shape: Shape): boolean =>
  !shape.saysNothing && (shape.kinds === kindBits.all || (shape.kinds & kindBits.string) === 0) && hidesWithin(shape)

/**
 * Whether a value hides what no name tells: further fields, items, or all of itself where it
 * chooses a branch of a union.
 */
function hidesUnnamed(shape: Shape, visited = new Set<Shape>()): boolean {
  if (visited.has(shape)) return false
  visited.add(shape)
  return (
    shape.has('writeOnly') ||
    [shape.field(othersName), ...shape.items].some(
      (member) => member.writeOnly || hidesUnnamed(member.shape, visited)
    ) ||
    chosenShapes(shape).some((chosen) => hidesUnnamed(chosen, visited))
  )
}
