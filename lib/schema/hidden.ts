import type { Shape, Shapes } from './shape.js'

/** Each shape that a value of a shape may have places of. */
export const allShapes = (start: Shape): ReadonlySet<Shape> => start.remember(allShapes, () => gather(start))

function gather(start: Shape): ReadonlySet<Shape> {
  const seen = new Set<Shape>()
  const next = [start]
  for (let shape = next.pop(); shape !== undefined; shape = next.pop()) {
    if (seen.has(shape)) continue
    seen.add(shape)
    next.push(...shape.chosenShapes, ...shape.memberShapes)
  }
  return seen
}

/** The names of the fields that a schema hides, at any depth. */
export const hiddenNames = ({ root }: Shapes): readonly string[] => [
  ...new Set([...allShapes(root)].flatMap((shape) => shape.names.filter((name) => shape.field(name).writeOnly)))
]
