import type { SchemaValue } from '../../types/standard-schema.js'
import { type Flag, kindBits } from './reader.js'
import { hidesWithin } from './redacted-fields.js'
import { othersName, type Shape, type ShapeMember, type Shapes } from './shape.js'

/** A field that one schema flags, and that another one has without the flag. */
export interface FlagConflict {
  /** The place of the field, as in `lines[].price`. */
  readonly place: string
  /** The name of the field, if it is one of the record. */
  readonly field: string | undefined
}

/**
 * Finds the fields that a schema flags, and that another schema of the same record has without the
 * flag.
 *
 * `readOnly` compares only the fields that the other schema lists: `findReadOnly` checks the values
 * of all others. `writeOnly` also compares names that an open object or a pattern accepts.
 */
export const findFlagConflicts = (flag: Flag, flagging: Shapes, other: Shapes): readonly FlagConflict[] =>
  new FlagComparison(flag).compare(flagging.root, other.root)

class FlagComparison {
  readonly #flag: Flag
  readonly #conflicts = new Map<string, FlagConflict>()
  readonly #visited = new Map<Shape, Set<Shape>>()

  constructor(flag: Flag) {
    this.#flag = flag
  }

  compare(left: Shape, right: Shape): readonly FlagConflict[] {
    this.#visit(left, right, '')
    return [...this.#conflicts.values()]
  }

  #visit(left: Shape, right: Shape, place: string): void {
    const visited = this.#visited.get(left) ?? new Set()
    if (visited.has(right)) return
    this.#visited.set(left, visited.add(right))
    for (const value of valuesOfUnions(right)) this.#compareShapes(left.narrow(value), right.narrow(value), place)
  }

  #compareShapes(left: Shape, right: Shape, place: string): void {
    if ((right.kinds & kindBits.array) !== 0)
      for (let index = 0; index < Math.max(left.items.length, right.items.length); index++)
        this.#compareMembers(left.item(index), right.item(index), `${place}[]`)
    if ((right.kinds & kindBits.object) === 0) return
    const names = this.#flag === 'readOnly' ? right.names : [...left.names, ...right.names, othersName]
    for (const name of new Set(names)) {
      const shown = name === othersName ? '*' : name
      const field = left.isRecord ? name : undefined
      this.#compareMembers(left.field(name), right.field(name), place === '' ? shown : `${place}.${shown}`, field)
    }
    if (this.#flag === 'writeOnly') this.#comparePatterns(left, right, place)
  }

  #compareMembers(left: ShapeMember, right: ShapeMember, place: string, field?: string): void {
    const flag = this.#flag
    // A flag of the member itself counts for all values within.
    if (!right.isKnown || right[flag] || (flag === 'readOnly' && left.isSettable)) return
    if (left[flag] || (left.shape.mayHave(flag) && !right.shape.mayHave(flag))) this.#add(place, field)
    else this.#visit(left.shape, right.shape, place)
  }

  #comparePatterns(left: Shape, right: Shape, place: string): void {
    for (const [pattern, schema] of patternsOf(left)) {
      const shape = left.shapes.of([schema])
      const same = patternsOf(right).filter(([other]) => other === pattern)
      for (const [, schema] of same) this.#visit(shape, right.shapes.of([schema]), `${place}.${pattern}`)
      const isHidden = same.some(([, schema]) => right.shapes.of([schema]).mayHave(this.#flag))
      const takesNames = right.isOpen || patternsOf(right).length > 0 || right.field(othersName).isKnown
      if (takesNames && (shape.mayHave(this.#flag) ? !isHidden : same.length === 0 && hidesWithin(shape)))
        this.#add(`${place}.${pattern}`)
    }
  }

  #add(place: string, field?: string): void {
    this.#conflicts.set(place, { place, field })
  }
}

const patternsOf = ({ subschemas }: Shape): readonly (readonly [pattern: string, schema: SchemaValue])[] =>
  [...subschemas].flatMap(({ patternProperties = {} }) => Object.entries(patternProperties))

/**
 * Returns an object without discriminators, and one for each branch of each discriminated union.
 */
function valuesOfUnions(start: Shape): readonly object[] {
  const values: object[] = [{}]
  const visit = (shape: Shape, value: object): void => {
    const undecided = shape.unions.map(({ branches }) => [branches, -1] as const)
    for (const { branches, discriminator, branchByValue } of shape.unions)
      for (const [constant, index] of branchByValue) {
        const tagged = { ...value, [discriminator]: constant }
        values.push(tagged)
        visit(shape.choose(...undecided, [branches, index]), tagged)
      }
  }
  visit(start, {})
  return values
}
