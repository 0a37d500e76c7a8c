import { exampleOf } from './examples.js'
import type { Place } from './fault.js'
import { allShapes } from './hidden.js'
import type { ServerFieldsByObject } from './names.js'
import type { Shape, ShapeMember } from './shape.js'

/** A field that is missing since only the server sets it, and that a whole record must have. */
export interface Gap {
  readonly object: Record<string, unknown>
  readonly place: Place | undefined
  readonly name: string
  readonly shape: Shape
  /** Whether each record must have it: otherwise a branch of a union may ask for it. */
  readonly isSure: boolean
}

export function gapsOf(serverFields: ServerFieldsByObject): readonly Gap[] {
  const gaps: Gap[] = []
  for (const [object, { place, shape, names }] of serverFields)
    for (const name of names)
      if (!Object.hasOwn(object, name)) {
        const isSure = shape.required.includes(name)
        gaps.push({ object: object as Gap['object'], place, name, shape: shape.field(name).shape, isSure })
      }
  return gaps
}

/** Puts an example into a gap, so that the rest of the record can be checked. */
export function fillGap({ object, name, shape }: Gap): void {
  const example = shape.remember(fillGap, () => exampleOf(shape))
  object[name] = typeof example === 'object' ? structuredClone(example) : example
}

/** The names that a client may send somewhere: what stands under one of them may be the client's own. */
const settableNames = (root: Shape): ReadonlySet<string> =>
  root.remember(
    settableNames,
    () => new Set([...allShapes(root)].flatMap((shape) => shape.names.filter((name) => !shape.field(name).readOnly)))
  )

interface Examples {
  /** Examples as JSON, by the names of their fields. */
  readonly byName: ReadonlyMap<string, ReadonlySet<string>>
  /** The names that clients may send somewhere. */
  readonly settable: ReadonlySet<string>
}

/**
 * Removes the examples that `fillGap` has put into a record, and returns what removes them from the value that a library has made of the record. Those that do not stand where they were put are looked
 * for by their names and values: a transformation may have moved their objects.
 */
export function emptyGaps(record: object, gaps: readonly Gap[], root: Shape): (value: unknown) => unknown {
  const examples = new Map(
    gaps.flatMap((gap) => (Object.hasOwn(gap.object, gap.name) ? [[gap, gap.object[gap.name]] as const] : []))
  )
  deleteAtPlaces(record, gaps)
  return (value) => {
    const { emptied, missing } = deleteAtPlaces(value, gaps)
    const moved = new Map<string, Set<string>>()
    for (const gap of missing)
      if (examples.has(gap)) moved.set(gap.name, new Set([...(moved.get(gap.name) ?? []), toJson(examples.get(gap))]))
    return moved.size === 0
      ? emptied
      : withoutExamples(emptied, record, root, { byName: moved, settable: settableNames(root) })
  }
}

/** Deletes the fields of gaps where they stood. The last one goes first: an object is read fastest where fields go in the order opposite to that in which they came. */
function deleteAtPlaces(value: unknown, gaps: readonly Gap[]): { emptied: unknown; missing: readonly Gap[] } {
  const objects = new Map<Place | undefined, unknown>([[undefined, copyIfSealed(value)]])
  const objectAt = (place: Place | undefined): unknown => {
    if (place === undefined || objects.has(place)) return objects.get(place)
    const within = objectAt(place.within) as Record<string | number, unknown>
    if (typeof within !== 'object' || within === null) return undefined
    const object = within[place.key]
    const copy = copyIfSealed(object)
    if (copy !== object) within[place.key] = copy
    objects.set(place, copy)
    return copy
  }
  const missing: Gap[] = []
  for (const gap of gaps.toReversed()) {
    const object = objectAt(gap.place)
    const isThere = typeof object === 'object' && object !== null && Object.hasOwn(object, gap.name)
    if (isThere) delete (object as Record<string, unknown>)[gap.name]
    // A library may give the object itself, of which the example is gone already.
    else if (object !== gap.object) missing.push(gap)
  }
  return { emptied: objects.get(undefined), missing }
}

/**
 * Removes examples from the fields that only the server sets, and from those that stand where the schema says nothing, if no field of their name is one
 * that clients may send. What the client has sent at a place stays.
 */
function withoutExamples(
  value: unknown,
  sent: unknown,
  shape: Shape | undefined,
  examples: Examples,
  visited = new Map<unknown, unknown>()
): unknown {
  if (typeof value !== 'object' || value === null || !isData(value)) return value
  if (visited.has(value)) return visited.get(value)
  const object = copyIfSealed(value) as Record<string, unknown>
  visited.set(value, object).set(object, object)
  const memberAt = memberReader(shape, object)
  for (const [name, inner] of Object.entries(object)) {
    const member = memberAt(name)
    const isSent = Object.hasOwn(Object(sent), name)
    const isOfServer = member === undefined ? !examples.settable.has(name) : member.readOnly
    if (!isSent && isOfServer && examples.byName.get(name)?.has(toJson(inner))) delete object[name]
    else {
      const sentInner = isSent ? (sent as typeof object)[name] : undefined
      const emptied = withoutExamples(inner, sentInner, member?.shape, examples, visited)
      if (emptied !== inner) object[name] = emptied
    }
  }
  return object
}

/** What the schema says of the fields or items of a value, where it is of the kind that the schema has there. */
function memberReader(shape: Shape | undefined, value: object): (name: string) => ShapeMember | undefined {
  const chosen = shape?.of(value)
  if (chosen === undefined || chosen.saysNothing || chosen.isOfLists !== Array.isArray(value)) return () => undefined
  const read = Array.isArray(value) ? (name: string) => chosen.item(Number(name)) : (name: string) => chosen.field(name)
  return (name) => {
    const member = read(name)
    return member.isKnown ? member : undefined
  }
}

/** Whether a value is a list or a plain object: others are values of a library or of the application. */
function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

const toJson = (value: unknown): string =>
  String(JSON.stringify(value, (_name, inner) => (typeof inner === 'bigint' ? Number(inner) : inner)))

function copyIfSealed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.isSealed(value)) return value
  return Array.isArray(value) ? [...value] : { ...value }
}
