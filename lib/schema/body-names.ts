import { type Issue, maxIssues, type Path, type PathNode, toPath } from './issue.js'
import { kindBits } from './reader.js'
import type { Shape, ShapeMember, Shapes } from './shape.js'

/** How deep a body may be nested. */
export const maxDepth = 1000
// 10,000 values that are nested 20 deep.
const maxSquaredDepths = 4_000_000

/**
 * Walks the names of a body once, and finds server-set and unknown fields, and values that are
 * nested too deep.
 */
export class BodyNames {
  readonly issues: Issue[] = []
  /**
   * Objects and lists where the schema accepts none. JSON Schema reports these better, but it may
   * miss one: a branch of a union accepts anything in a field that it does not name.
   */
  readonly misplaced: Issue[] = []
  readonly #start: Path
  readonly #onlyFlags: boolean
  #squaredDepths = 0
  #isOver = false

  /** @param onlyFlags whether to find server-set fields only */
  constructor(shapes: Shapes, body: unknown, start: Path, onlyFlags = false) {
    this.#start = start
    this.#onlyFlags = onlyFlags
    this.#visit(body, shapes.root, undefined, 0)
  }

  /**
   * Whether reporting every issue could take quadratic time and memory: zod and ArkType copy the
   * path of an issue at each level. JSON Schema stops at the first issue, so ask it before.
   */
  get isTooComplex(): boolean {
    return this.#squaredDepths > maxSquaredDepths
  }

  #visit(value: unknown, shape: Shape, node: PathNode | undefined, depth: number): void {
    if (typeof value !== 'object' || value === null || value instanceof Blob || this.#isOver) return
    const kind = Array.isArray(value) ? kindBits.array : kindBits.object
    if (depth > maxDepth) this.#stop(node)
    else if (this.#onlyFlags) this.#visitMembers(value, shape.narrow(value), node, depth)
    // Some libraries accept a list in place of an object, but a response would not contain it.
    else if (kind === kindBits.array && (shape.kinds & ~kindBits.null) === kindBits.object)
      this.#add(node, 'must be an object', 'type')
    else if ((shape.kinds & kind) === 0) {
      if (this.misplaced.length < maxIssues)
        this.misplaced.push({ path: toPath(node, this.#start), keyword: 'type', must: 'is not valid' })
    } else this.#visitMembers(value, shape.narrow(value), node, depth)
  }

  #visitMembers(value: object, shape: Shape, within: PathNode | undefined, depth: number): void {
    for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (this.#isOver) return
      this.#squaredDepths += depth ** 2
      const member = typeof key === 'number' ? shape.item(key) : shape.field(key)
      if (isReadOnly(member, inner)) this.#add({ key, within }, 'can not be set', 'readOnly')
      else if (!member.isKnown && !this.#onlyFlags) this.#add({ key, within }, 'is not known', 'additionalProperties')
      else if (typeof inner === 'object' && inner !== null) this.#visit(inner, member.shape, { key, within }, depth + 1)
    }
  }

  #add(node: PathNode | undefined, must: string, keyword: string): void {
    if (this.issues.length < maxIssues) this.issues.push({ path: toPath(node, this.#start), keyword, must })
    else this.#isOver = true
  }

  #stop(node: PathNode | undefined): void {
    this.#isOver = true
    // The whole path would be as long as the body is deep.
    const path = toPath(node, this.#start).slice(0, this.#start.length + 1)
    this.issues.push({ path, keyword: 'maxDepth', must: `is nested more than ${maxDepth} deep` })
  }
}

/** Whether only the server sets a value: its member is flagged, or its branch of a union is. */
const isReadOnly = ({ readOnly, isSettable, shape }: ShapeMember, value: unknown): boolean =>
  readOnly || (!isSettable && shape.unions.length > 0 && shape.narrow(value).has('readOnly'))

/** Finds the server-set fields of a value by a schema that may describe another value. */
export const findReadOnly = (shapes: Shapes, value: unknown, path: Path): readonly Issue[] =>
  new BodyNames(shapes, value, path, true).issues
