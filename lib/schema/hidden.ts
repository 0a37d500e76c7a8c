import type { Shape, Shapes } from './shape.js'

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

/** The names of the fields that a schema hides, at any depth. */
export const hiddenNames = ({ root }: Shapes): readonly string[] => [
  ...new Set([...allShapes(root)].flatMap((shape) => shape.names.filter((name) => shape.field(name).writeOnly)))
]
