import type { LoggedEvent } from './log.js'
import {
  type Facts,
  isUnknown,
  type ListConditions,
  matches,
  placeOfValue,
  routeField,
  type Sure,
  type Unknowns
} from './matching.js'

/** What a subscriber is told of an event: the event itself, or that something may have changed. */
export type Telling = 'event' | 'changed'

/** Whose list has the records of a query; `undefined` where only the service knows which. */
interface Hearer {
  readonly rule: { readonly conditions: ListConditions | undefined }
}

/** Where a subscription stands in the index: all values of a field that its records may have. */
interface IndexPlace {
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
    const place = this.#choosePlace(subscription.rule.conditions)
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
    const prepared = prepare(event)
    for (const subscription of this.#candidates(prepared)) {
      const telling = judge(prepared, subscription.rule.conditions)
      if (telling !== undefined) yield [subscription, telling]
    }
  }

  *#candidates({ facts, unknowns }: Prepared): Iterable<S> {
    yield* this.#others
    for (const [field, values] of this.#fields) {
      const key = isUnknown(field, unknowns) ? undefined : placeOfValue(facts[field])
      if (key !== undefined) yield* values.get(key) ?? []
      // With several values, a subscription stands there several times.
      else yield* new Set([...values.values()].flatMap((subscriptions) => [...subscriptions]))
    }
  }

  /** Of the equalities in a query that all must hold, the one that the fewest others have. */
  #choosePlace(conditions: ListConditions | undefined): IndexPlace | undefined {
    if (conditions === undefined || hasUnknownOperator(conditions)) return undefined
    const crowdAt = ({ field, keys }: IndexPlace) =>
      keys.reduce((sum, key) => sum + (this.#fields.get(field)?.get(key)?.size ?? 0), keys.length - 1)
    let best: { place: IndexPlace; crowd: number } | undefined
    for (const place of placesIn(conditions)) {
      const crowd = crowdAt(place)
      if (best === undefined || crowd < best.crowd) best = { place, crowd }
    }
    return best?.place
  }
}

const hasUnknownOperator = (conditions: ListConditions) =>
  Object.keys(conditions).some((name) => name.startsWith('$') && name !== '$and' && name !== '$or')

function* placesIn(conditions: ListConditions): Iterable<IndexPlace> {
  for (const [name, condition] of Object.entries(conditions)) {
    if (name === '$and' && Array.isArray(condition)) {
      for (const part of condition) if (!hasUnknownOperator(Object(part))) yield* placesIn(Object(part))
    } else if (!name.startsWith('$')) {
      const keys = valuesIn(condition)?.map(placeOfValue)
      if (keys?.every((key) => key !== undefined)) yield { field: name, keys: [...new Set(keys)] }
    }
  }
}

function valuesIn(condition: unknown): readonly unknown[] | undefined {
  const { $eq = condition, $in } = Object(condition)
  const values = $in ?? [$eq]
  return Array.isArray(values) && values.length > 0 && values.length <= mostKeys ? values : undefined
}

/** An event as it is compared. */
interface Prepared {
  readonly hasId: boolean
  readonly facts: Facts
  /** The fields that may have had other values before; `undefined` where there was no record before, or there is none now. */
  readonly unknowns: Unknowns | undefined
}

function prepare({ id, facts, route, touched }: LoggedEvent): Prepared {
  const names = Object.keys(route)
  const placeholders = names.map((name) => [routeField(name), route[name] as string])
  const isSame = touched !== true && touched.length === 0
  return {
    hasId: id !== undefined,
    facts: names.length === 0 ? facts : { ...facts, ...Object.fromEntries(placeholders) },
    unknowns: isSame ? undefined : touched === true || new Set(touched)
  }
}

/**
 * What a subscriber is told (docs/events.md#who-hears-what). The id is told to those alone whose list has the record for certain; nothing is told
 * where it was not in the list before, and is not now.
 */
function judge({ hasId, facts, unknowns }: Prepared, conditions: ListConditions | undefined): Telling | undefined {
  if (conditions === undefined) return 'changed'
  const isInside = matches(conditions, facts)
  if (isInside !== false) return isInside && hasId ? 'event' : 'changed'
  const wasInside: Sure = unknowns === undefined ? false : matches(conditions, facts, unknowns)
  return wasInside === false ? undefined : 'changed'
}

/** What a subscriber with these conditions is told of an event; `undefined` for nothing. */
export const tellingOf = (event: LoggedEvent, conditions: ListConditions | undefined): Telling | undefined =>
  judge(prepare(event), conditions)
