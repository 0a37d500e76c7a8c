import type { SchemaValue } from '../../types/standard-schema.js'
import { type Flag, kindBits } from './reader.js'
import { hidesWithin } from './redacted-fields.js'
import { othersName, type Shape, type ShapeMember, type Shapes } from './shape.js'

/** A field that one schema flags, and that another schema has without the flag. */
export interface FlagConflict {
  /** The place of the field, as in `lines[].price`. */
  readonly place: string
  /** The name of the field, if it is one of the record. */
  readonly field: string | undefined
}

/**
 * Finds the fields that a schema flags and that another schema of the same record has without the
 * flag.
 *
 * `readOnly` compares only the fields that the other schema spells out: `findReadOnly` checks the
 * values of all others. `writeOnly` also compares the names that an open object or a pattern lets
 * pass.
 */
export function findFlagConflicts(flag: Flag, flagging: Shapes, other: Shapes): readonly FlagConflict[] {
  const conflicts = new Map<string, FlagConflict>()
  const visited = new Map<Shape, Set<Shape>>()

  const compare = (left: ShapeMember, right: ShapeMember, place: string, field?: string): void => {
    // A field that has the flag itself has it for all within.
    if (!right.isKnown || right[flag] || (flag === 'readOnly' && left.isSettable)) return
    if (left[flag] || (left.shape.mayHave(flag) && !right.shape.mayHave(flag))) conflicts.set(place, { place, field })
    else visit(left.shape, right.shape, place)
  }

  const visit = (left: Shape, right: Shape, place: string): void => {
    const met = visited.get(left) ?? new Set()
    if (met.has(right)) return
    visited.set(left, met.add(right))
    for (const value of valuesOfUnions(right)) compareMembers(left.narrow(value), right.narrow(value), place)
  }

  const compareMembers = (left: Shape, right: Shape, place: string): void => {
    if ((right.kinds & kindBits.array) !== 0)
      for (let index = 0; index < Math.max(left.items.length, right.items.length); index++)
        compare(left.item(index), right.item(index), `${place}[]`)
    if ((right.kinds & kindBits.object) === 0) return
    const names = flag === 'readOnly' ? right.names : [...left.names, ...right.names, othersName]
    for (const name of new Set(names)) {
      const shown = name === othersName ? '*' : name
      const field = left.isRecord ? name : undefined
      compare(left.field(name), right.field(name), place === '' ? shown : `${place}.${shown}`, field)
    }
    if (flag === 'writeOnly') comparePatterns(left, right, place)
  }

  const comparePatterns = (left: Shape, right: Shape, place: string): void => {
    for (const [pattern, schema] of patternsOf(left)) {
      const shape = left.shapes.of([schema])
      const same = patternsOf(right).filter(([other]) => other === pattern)
      for (const [, schema] of same) visit(shape, right.shapes.of([schema]), `${place}.${pattern}`)
      const isHidden = same.some(([, schema]) => right.shapes.of([schema]).mayHave(flag))
      const takesNames = right.isOpen || patternsOf(right).length > 0 || right.field(othersName).isKnown
      if (takesNames && (shape.mayHave(flag) ? !isHidden : same.length === 0 && hidesWithin(shape)))
        conflicts.set(`${place}.${pattern}`, { place: `${place}.${pattern}`, field: undefined })
    }
  }

  visit(flagging.root, other.root, '')
  return [...conflicts.values()]
}

const patternsOf = ({ subschemas }: Shape): readonly (readonly [pattern: string, schema: SchemaValue])[] =>
  [...subschemas].flatMap(({ patternProperties = {} }) => Object.entries(patternProperties))

/** An object without a discriminator, and one for each branch of each union that a discriminator decides. */
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
