import type { SchemaValue } from '../../../types/standard-schema.js'
import { othersName, type Shape, type ShapeMember } from '../../schema/shape.js'

/** Copies a schema of a library without its server-set fields. */
export type Omit = (schema: object, place: LibraryPlace) => unknown

/** Returns the names of the server-set fields that a value must have, at any depth. */
export const serverNamesWithin = (start: Shape): ReadonlySet<string> =>
  start.remember(serverNamesWithin, () => new Set([...start.reachable].flatMap((shape) => [...serverNames(shape)])))

/** Returns the names of the server-set fields that an object must have. */
const serverNames = (shape: Shape): ReadonlySet<string> =>
  shape.remember(serverNames, () => new Set(shape.anyRequired.filter((name) => isServerSet(shape.field(name)))))

/** Returns whether clients can't set a field, in any of its branches. */
const isServerSet = ({ readOnly, isSettable, shape }: ShapeMember): boolean =>
  readOnly || (!isSettable && shape.unions.length > 0 && branchShapes(shape).every((branch) => branch.has('readOnly')))

/** Returns the shapes of an object that has chosen a branch of each discriminated union. */
function branchShapes(shape: Shape): readonly Shape[] {
  const [union] = shape.unions
  return union === undefined ? [shape] : chosenShapesOf(shape, union.branches).flatMap(branchShapes)
}

const chosenShapesOf = (shape: Shape, branches: readonly SchemaValue[]): readonly Shape[] =>
  branches.map((_, index) => shape.choose([branches, index]))

interface Omission {
  readonly omit: Omit
  /** Whether the record itself may lack fields anyway. */
  readonly isPatch: boolean
  /** The copies by schema and shape. */
  readonly made: Map<unknown, Map<Shape, unknown>>
  /** Copies to complete at the end, since a schema may contain itself. */
  readonly pending: (() => unknown)[]
}

/** A place in the schema of a library, with the shape of its JSON Schema there. */
export class LibraryPlace {
  constructor(
    readonly shape: Shape,
    readonly omission: Omission,
    readonly path = ''
  ) {}

  field(name: string): LibraryPlace {
    return this.#within(this.#anyBranch.field(name).shape, `.${name}`)
  }

  /** The fields that the schema has rules for, but no names. */
  get others(): LibraryPlace {
    const { shapes, rulesOfNames } = this.#anyBranch
    return this.#within(
      rulesOfNames.length > 0 ? shapes.of(rulesOfNames) : this.#anyBranch.field(othersName).shape,
      '.*'
    )
  }

  item(index: number): LibraryPlace {
    return this.#within(this.#anyBranch.item(index).shape, '[]')
  }

  get #anyBranch(): Shape {
    return this.shape.narrow(undefined)
  }

  #within(shape: Shape, name: string): LibraryPlace {
    return new LibraryPlace(shape, this.omission, this.path + name)
  }

  /**
   * Returns the places of the branches of a union. Its JSON Schema has them in the same order.
   * Without a discriminator, flags of all branches apply to each of them.
   */
  branches(count: number): readonly LibraryPlace[] {
    const [union, ...others] = this.shape.unions.filter(({ branches }) => branches.length === count)
    if (union === undefined) return Array.from({ length: count }, () => this)
    if (others.length > 0) this.refuse('several unions apply to one object')
    return chosenShapesOf(this.shape, union.branches).map((shape) => this.#within(shape, ''))
  }

  /** Whether a body lacks a field of this object. */
  lacks(name: string): boolean {
    if (this.omission.isPatch && this.path === '') return false
    const answers = new Set(branchShapes(this.shape).map((shape) => serverNames(shape).has(name)))
    if (answers.size > 1) this.refuse(`clients set '${name}' in some branches of a union only`)
    return answers.has(true)
  }

  /** Whether a value within this place lacks fields. */
  get needsOmission(): boolean {
    return serverNamesWithin(this.shape).size > 0
  }

  /** Returns the schema for this place: the same object if it asks for no server-set field. */
  omit(schema: unknown): unknown {
    if (Object(schema) !== schema || !this.needsOmission) return schema
    const byShape = this.omission.made.get(schema) ?? new Map<Shape, unknown>()
    this.omission.made.set(schema, byShape)
    if (!byShape.has(this.shape)) byShape.set(this.shape, this.omission.omit(schema as object, this))
    return byShape.get(this.shape)
  }

  /** Returns the same, and completes all pending copies. */
  omitAll(schema: unknown): unknown {
    const omitted = this.omit(schema)
    const { pending } = this.omission
    for (let complete = pending.shift(); complete !== undefined; complete = pending.shift()) complete()
    return omitted
  }

  /** Stores the copy of a schema before it is complete, for schemas that contain themselves. */
  begin<T>(schema: object, made: T, complete: () => unknown): T {
    this.omission.made.get(schema)?.set(this.shape, made)
    this.omission.pending.push(complete)
    return made
  }

  /** @throws {TypeError} with the place */
  refuse(reason: string): never {
    throw new TypeError(`${this.path === '' ? '' : `in '${this.path.replace(/^\./, '')}', `}${reason}`)
  }
}
