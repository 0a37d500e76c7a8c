import { toRegExp } from './bundle.js'
import type { NameSet } from './flagged-names.js'
import { othersName, type Shape, type ShapeMember, type Shapes } from './shape.js'

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
function chosenShapes({ shapes, schemas, unions, choice }: Shape): Shape[] {
  const others = unions.map(({ branches }) => [branches, -1] as const)
  return unions.flatMap(({ branches }) =>
    [...branches.keys()].map((index) => shapes.of(schemas, new Map([...choice, ...others, [branches, index]])))
  )
}

/** The fields that schemas hide, at any depth, by their names: those that are spelled out, and those that a pattern describes. */
export class HiddenNames implements NameSet {
  readonly #flagged: ReadonlySet<string>
  readonly #patterns: readonly RegExp[]
  readonly #spelledOut: ReadonlySet<string>
  readonly #hidesOthers: boolean
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
    this.#patterns = [...new Set(shapes.flatMap(hiddenPatterns))].map(toRegExp)
    this.#hidesOthers = shapes.some((shape) => isHiding(shape.field(othersName)))
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

  /** Whether a value of which nothing else is known must not have a field: where an object hides all further fields, each name that no schema spells out may be that of one. */
  mayHave(name: string): boolean {
    return this.has(name) || this.holders.has(name) || (this.#hidesOthers && !this.#spelledOut.has(name))
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
const hiddenPatterns = ({ shapes, parts }: Shape): string[] =>
  [...parts].flatMap(({ patternProperties = {} }) =>
    Object.entries(patternProperties).flatMap(([pattern, schema]) =>
      hidesUnnamed(shapes.of([schema])) && !toRegExp(pattern).test(othersName) ? [pattern] : []
    )
  )

/** Whether a value hides what no name tells: further fields, items, or all of itself where it chooses a branch of a union. */
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
