import { toRegExp } from './bundle.js'
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
export class RedactedFields extends Set<string> {
  readonly #described: ReadonlySet<string>
  readonly #withoutText: ReadonlySet<string>
  readonly #withoutTextPatterns: readonly RegExp[]
  readonly #hidesTextUnnamed: boolean

  /** @param removed further names, of fields that the response schema does not have */
  constructor(schemas: readonly Shapes[], removed: Iterable<string> = []) {
    const shapes = schemas.flatMap(({ root }) => [...root.reachable])
    const namesWhere = (is: (member: ShapeMember) => boolean) =>
      shapes.flatMap((shape) => shape.names.filter((name) => is(shape.field(name))))
    super([...removed, ...namesWhere(({ writeOnly }) => writeOnly)])
    this.#described = new Set(shapes.flatMap(({ names }) => names))
    this.#withoutText = new Set(namesWhere(({ shape }) => redactsTexts(shape)))
    this.#withoutTextPatterns = [...new Set(shapes.flatMap(patternsWithoutText))].map((pattern) => toRegExp(pattern))
    this.#hidesTextUnnamed = shapes.some((shape) => redactsTexts(shape.field(othersName).shape))
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

/** Returns the patterns of such fields. A pattern that matches every name is no help. */
const patternsWithoutText = ({ shapes, subschemas }: Shape): string[] =>
  [...subschemas].flatMap(({ patternProperties = {} }) =>
    Object.entries(patternProperties).flatMap(([pattern, schema]) =>
      redactsTexts(shapes.of([schema])) && !toRegExp(pattern).test(othersName) ? [pattern] : []
    )
  )

/** Returns whether a value hides something, at any depth. */
export const hidesWithin = (start: Shape): boolean =>
  start.remember(
    hidesWithin,
    () =>
      start.has('writeOnly') ||
      [...start.reachable].some((shape) => shape.names.some((name) => shape.field(name).writeOnly))
  )

/**
 * Returns whether a string is never sent in place of a value: its schema accepts no strings, or it
 * states no type and describes objects with hidden fields.
 */
export const redactsTexts = (shape: Shape): boolean =>
  !shape.describesNoMembers &&
  (shape.kinds === kindBits.all || (shape.kinds & kindBits.string) === 0) &&
  hidesWithin(shape)
