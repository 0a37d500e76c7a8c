import type { LoggedEvent } from './log.js'
import {
  areFieldsKnown,
  hasUnknownOperator,
  isUnknown,
  type ListConditions,
  matches,
  type PreparedFacts,
  placeOfValue,
  prepareFacts,
  routeField,
  type Sure,
  type Unknowns
} from './matching.js'

/** What a subscriber is told of an event: the event itself, or that something may have changed. */
export type Telling = 'event' | 'changed'

/**
 * A placeholder of the path of a list, and the field that holds its value in records. A record
 * moves if this field changes.
 */
export interface ParentPlace {
  /** The placeholder, as a condition. */
  readonly place: ListConditions
  readonly field: string
}

/** Which records a list has, and which the caller sees at all. */
interface RecordRule {
  /** What records of the list have; `undefined` where only the service knows. */
  readonly conditions: ListConditions | undefined
  /**
   * What all records that the caller may find have, whatever the caller asks for; `undefined` where
   * that is not known.
   */
  readonly visibility: ListConditions | undefined
  /** The placeholders that the conditions leave to fields. */
  readonly parents: readonly ParentPlace[]
}

interface Hearer {
  readonly rule: RecordRule
}

/** Where a subscription stands in the index: all values of a field that its records may have. */
interface IndexPlace {
  /** The kind of all keys, and the name of the field. */
  readonly field: string
  readonly keys: readonly string[]
}

// More values than these are looked through.
const mostKeys = 64

/** The subscriptions of a service. What an event costs grows with those that it may concern. */
export class Audience<S extends Hearer> {
  readonly #fields = new Map<string, Map<string, Set<S>>>()
  readonly #others = new Set<S>()
  readonly #places = new Map<S, IndexPlace | undefined>()

  /** Adds a subscription, or puts it where its present rule belongs. */
  add(subscription: S): void {
    this.delete(subscription)
    const place = this.#choosePlace(subscription.rule)
    this.#places.set(subscription, place)
    if (place === undefined) {
      this.#others.add(subscription)
      return
    }
    const values = this.#fields.get(place.field) ?? new Map<string, Set<S>>()
    this.#fields.set(place.field, values)
    for (const key of place.keys) values.set(key, (values.get(key) ?? new Set()).add(subscription))
  }

  delete(subscription: S): void {
    const place = this.#places.get(subscription)
    this.#places.delete(subscription)
    this.#others.delete(subscription)
    if (place === undefined) return
    const values = this.#fields.get(place.field)
    for (const key of place.keys) {
      const subscriptions = values?.get(key)
      subscriptions?.delete(subscription)
      if (subscriptions?.size === 0) values?.delete(key)
    }
    if (values?.size === 0) this.#fields.delete(place.field)
  }

  /** The subscriptions that an event concerns, with what they are told. */
  *concerned(event: LoggedEvent): Iterable<readonly [S, Telling]> {
    const judged = new JudgedEvent(event)
    for (const subscription of this.#candidates(judged)) {
      const telling = judged.tellingFor(subscription.rule)
      if (telling !== undefined) yield [subscription, telling]
    }
  }

  *#candidates({ facts, unknowns }: JudgedEvent): Iterable<S> {
    yield* this.#others
    for (const [field, values] of this.#fields) {
      const name = field.slice(1)
      const key = isUnknown(name, unknowns) ? undefined : placeOfValue(facts[name])
      if (key?.[0] === field[0]) yield* values.get(key as string) ?? []
      // With several values, a subscription stands there several times.
      else yield* new Set([...values.values()].flatMap((subscriptions) => [...subscriptions]))
    }
  }

  /**
   * Of the equalities in a query that all must hold, the one that the fewest others have. Where the
   * caller does not see all records, it is one that all records have that the caller sees: what the
   * caller asks for must not decide whether a record is looked at that the caller may not see.
   */
  #choosePlace({ conditions, visibility }: RecordRule): IndexPlace | undefined {
    if (conditions === undefined || visibility === undefined) return undefined
    const crowdAt = ({ field, keys }: IndexPlace) =>
      keys.reduce((sum, key) => sum + (this.#fields.get(field)?.get(key)?.size ?? 0), keys.length - 1)
    let best: { place: IndexPlace; crowd: number } | undefined
    const common = [...placesIn(visibility)].map(textOfPlace)
    const seesAll = Object.keys(visibility).length === 0
    for (const place of placesIn(conditions)) {
      if (!seesAll && !common.includes(textOfPlace(place))) continue
      const crowd = crowdAt(place)
      if (best === undefined || crowd < best.crowd) best = { place, crowd }
    }
    return best?.place
  }
}

const textOfPlace = ({ field, keys }: IndexPlace) => JSON.stringify([field, ...keys])

function* placesIn(conditions: ListConditions): Iterable<IndexPlace> {
  if (hasUnknownOperator(conditions)) return
  for (const [name, condition] of Object.entries(conditions)) {
    if (name === '$and' && Array.isArray(condition)) for (const part of condition) yield* placesIn(Object(part))
    else if (!name.startsWith('$')) {
      const keys = valuesIn(condition)?.map(placeOfValue) ?? []
      const kinds = new Set(keys.map((key) => key?.[0]))
      const [kind] = kinds
      if (kind !== undefined && kinds.size === 1) yield { field: kind + name, keys: [...new Set(keys as string[])] }
    }
  }
}

function valuesIn(condition: unknown): readonly unknown[] | undefined {
  const { $eq = condition, $in } = Object(condition)
  const values = $in ?? [$eq]
  return Array.isArray(values) && values.length > 0 && values.length <= mostKeys ? values : undefined
}

/** An event as it is compared with many lists. */
export class JudgedEvent {
  readonly facts: PreparedFacts
  /**
   * The fields that may have had other values before; `undefined` where there was no record before,
   * or there is none now.
   */
  readonly unknowns: Unknowns | undefined
  readonly #hasId: boolean

  constructor({ id, facts, route, touched }: LoggedEvent) {
    const placeholders = Object.entries(route).map(([name, value]) => [routeField(name), value])
    this.facts = prepareFacts({ ...facts, ...Object.fromEntries(placeholders) })
    this.unknowns = touched !== true && touched.length === 0 ? undefined : touched === true || new Set(touched)
    this.#hasId = id !== undefined
  }

  /**
   * What a subscriber is told (docs/events.md#who-hears-what); `undefined` for nothing. The id is
   * told to those alone whose list has the record for certain. Nothing is told where it was not in
   * the list before, and is not now. Of a record that the caller does not see for certain, the
   * values decide nothing.
   */
  tellingFor({ conditions, visibility, parents }: RecordRule): Telling | undefined {
    if (conditions === undefined) return 'changed'
    const isInside = this.#isIn(conditions, parents)
    if (isInside) return this.#hasId ? 'event' : 'changed'
    if (isInside === undefined || this.#mayHaveBeenIn(conditions, parents)) return 'changed'
    return this.#isDecided(conditions, visibility, parents) ? undefined : 'changed'
  }

  /**
   * Whether the caller sees the record, or has never seen it: then what the caller asks for tells
   * of no values that the caller may not know.
   */
  #isDecided(
    conditions: ListConditions,
    visibility: ListConditions | undefined,
    parents: readonly ParentPlace[]
  ): boolean {
    if (visibility === undefined) return areFieldsKnown(conditions, this.facts, this.unknowns)
    const isVisible = this.#isIn(visibility, parents)
    if (isVisible !== false) return isVisible === true
    return !this.#mayHaveBeenIn(visibility, parents)
  }

  #isIn(conditions: ListConditions, parents: readonly ParentPlace[]): Sure {
    // If the field is unknown and unchanged, the record is still below the parent that the call
    // named.
    const isElsewhere = parents.some(
      ({ field, place }) =>
        !Object.hasOwn(this.facts, field) && !isUnknown(field, this.unknowns) && this.#wasOutside(place)
    )
    return isElsewhere ? false : matches(conditions, this.facts)
  }

  #mayHaveBeenIn(conditions: ListConditions, parents: readonly ParentPlace[]): boolean {
    if (this.unknowns === undefined || parents.some(({ place }) => this.#wasOutside(place))) return false
    return matches(conditions, this.facts, this.unknowns) !== false
  }

  /** Whether the URL of the call named another parent. Then the record was below that one. */
  #wasOutside(place: ListConditions): boolean {
    return matches(place, this.facts) === false
  }
}
