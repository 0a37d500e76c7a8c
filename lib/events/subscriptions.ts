import {
  areFieldsKnown,
  hasUnknownOperator,
  indexKeyOf,
  isUnknown,
  type ListConditions,
  matches,
  type PreparedFacts,
  prepareFacts,
  routeField,
  type Sure,
  type Unknowns
} from '../core/matching.js'
import type { ListScope, ParentField } from './list-scope.js'
import type { LoggedEvent } from './log.js'
import type { Subscription } from './stream.js'
import type { Topic } from './topic.js'

/** How much of an event a subscription sees: the event, or that something may have changed. */
export type Visibility = 'event' | 'changed'

export class Subscriptions {
  readonly #byTopic = new Map<Topic, SubscriptionIndex>()

  add(subscription: Subscription): void {
    subscription.stream.subscriptions.add(subscription)
    this.#indexOf(subscription.topic).add(subscription)
  }

  changeScope(subscription: Subscription, scope: ListScope): void {
    subscription.scope = scope
    this.#indexOf(subscription.topic).add(subscription)
  }

  delete(subscription: Subscription): void {
    subscription.stream.subscriptions.delete(subscription)
    this.#indexOf(subscription.topic).delete(subscription)
  }

  /** Returns the subscriptions that an event affects, with what each of them sees of it. */
  affectedBy(topic: Topic, event: LoggedEvent): Iterable<readonly [Subscription, Visibility]> {
    return this.#indexOf(topic).affectedBy(event)
  }

  #indexOf(topic: Topic): SubscriptionIndex {
    const index = this.#byTopic.get(topic) ?? new SubscriptionIndex()
    this.#byTopic.set(topic, index)
    return index
  }
}

/** The equality condition by which a subscription is indexed: a field, and its possible values. */
interface IndexKeys {
  /** The kind of the keys, then the name of the field. */
  readonly field: string
  readonly keys: readonly string[]
}

// Conditions with more values are not indexed.
const maxKeys = 64

/**
 * Indexes the subscriptions of a topic by equality conditions, so that an event costs as much as
 * the subscriptions that it may affect.
 */
class SubscriptionIndex {
  readonly #byField = new Map<string, Map<string, Set<Subscription>>>()
  readonly #unindexed = new Set<Subscription>()
  readonly #keysOf = new Map<Subscription, IndexKeys | undefined>()

  /** Adds a subscription, or moves it if its scope has changed. */
  add(subscription: Subscription): void {
    this.delete(subscription)
    const indexKeys = this.#chooseKeys(subscription.scope)
    this.#keysOf.set(subscription, indexKeys)
    if (indexKeys === undefined) {
      this.#unindexed.add(subscription)
      return
    }
    const byKey = this.#byField.get(indexKeys.field) ?? new Map<string, Set<Subscription>>()
    this.#byField.set(indexKeys.field, byKey)
    for (const key of indexKeys.keys) byKey.set(key, (byKey.get(key) ?? new Set()).add(subscription))
  }

  delete(subscription: Subscription): void {
    const indexKeys = this.#keysOf.get(subscription)
    this.#keysOf.delete(subscription)
    this.#unindexed.delete(subscription)
    if (indexKeys === undefined) return
    const byKey = this.#byField.get(indexKeys.field)
    for (const key of indexKeys.keys) {
      const subscriptions = byKey?.get(key)
      subscriptions?.delete(subscription)
      if (subscriptions?.size === 0) byKey?.delete(key)
    }
    if (byKey?.size === 0) this.#byField.delete(indexKeys.field)
  }

  *affectedBy(event: LoggedEvent): Iterable<readonly [Subscription, Visibility]> {
    const compared = new ComparedEvent(event)
    for (const subscription of this.#candidates(compared)) {
      const visibility = compared.visibilityFor(subscription.scope)
      if (visibility !== undefined) yield [subscription, visibility]
    }
  }

  *#candidates({ facts, unknowns }: ComparedEvent): Iterable<Subscription> {
    yield* this.#unindexed
    for (const [field, byKey] of this.#byField) {
      const name = field.slice(1)
      const key = isUnknown(name, unknowns) ? undefined : indexKeyOf(facts[name])
      if (key?.[0] === field[0]) yield* byKey.get(key as string) ?? []
      // The value may be any. A subscription with several keys is here several times.
      else yield* new Set([...byKey.values()].flatMap((subscriptions) => [...subscriptions]))
    }
  }

  /**
   * Chooses the most selective equality condition. If the caller does not see all records, it must
   * be a condition for everything the caller sees: a condition that the caller has chosen must not
   * decide, measurably, whether the server looks at an invisible record.
   */
  #chooseKeys({ conditions, callerConditions }: ListScope): IndexKeys | undefined {
    if (conditions === undefined || callerConditions === undefined) return undefined
    const countAt = ({ field, keys }: IndexKeys) =>
      keys.reduce((sum, key) => sum + (this.#byField.get(field)?.get(key)?.size ?? 0), keys.length - 1)
    let best: { indexKeys: IndexKeys; count: number } | undefined
    const imposed = [...indexKeysIn(callerConditions)].map(toKeyText)
    const seesAll = Object.keys(callerConditions).length === 0
    for (const indexKeys of indexKeysIn(conditions)) {
      if (!seesAll && !imposed.includes(toKeyText(indexKeys))) continue
      const count = countAt(indexKeys)
      if (best === undefined || count < best.count) best = { indexKeys, count }
    }
    return best?.indexKeys
  }
}

const toKeyText = ({ field, keys }: IndexKeys) => JSON.stringify([field, ...keys])

/** Returns the equality conditions that all must hold. */
function* indexKeysIn(conditions: ListConditions): Iterable<IndexKeys> {
  if (hasUnknownOperator(conditions)) return
  for (const [name, condition] of Object.entries(conditions)) {
    if (name === '$and' && Array.isArray(condition)) for (const item of condition) yield* indexKeysIn(Object(item))
    else if (!name.startsWith('$')) {
      const keys = valuesIn(condition)?.map(indexKeyOf) ?? []
      const kinds = new Set(keys.map((key) => key?.[0]))
      const [kind] = kinds
      if (kind !== undefined && kinds.size === 1) yield { field: kind + name, keys: [...new Set(keys as string[])] }
    }
  }
}

function valuesIn(condition: unknown): readonly unknown[] | undefined {
  const { $eq = condition, $in } = Object(condition)
  const values = $in ?? [$eq]
  return Array.isArray(values) && values.length > 0 && values.length <= maxKeys ? values : undefined
}

/** An event, prepared to be compared with many scopes. */
export class ComparedEvent {
  readonly facts: PreparedFacts
  /**
   * The fields that may have had other values before the event; `undefined` if there was no record
   * before, or there is none now.
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
   * Returns how much of the event is visible (docs/events.md#who-sees-which-changes); `undefined` if
   * nothing is. The event itself is visible only if the list certainly has the record. It is
   * invisible if the record certainly was not in the list before, and is not now.
   */
  visibilityFor({ conditions, callerConditions, parents }: ListScope): Visibility | undefined {
    if (conditions === undefined) return 'changed'
    const isInside = this.#isIn(conditions, parents)
    if (isInside) return this.#hasId ? 'event' : 'changed'
    if (isInside === undefined || this.#mayHaveBeenIn(conditions, parents)) return 'changed'
    return this.#mayBeOmitted(conditions, callerConditions, parents) ? undefined : 'changed'
  }

  /**
   * Whether silence gives nothing away, because the caller sees the record, or has never seen it.
   * Otherwise a query could be used to guess values of invisible records.
   */
  #mayBeOmitted(
    conditions: ListConditions,
    callerConditions: ListConditions | undefined,
    parents: readonly ParentField[]
  ): boolean {
    if (callerConditions === undefined) return areFieldsKnown(conditions, this.facts, this.unknowns)
    const isVisible = this.#isIn(callerConditions, parents)
    if (isVisible !== false) return isVisible === true
    return !this.#mayHaveBeenIn(callerConditions, parents)
  }

  #isIn(conditions: ListConditions, parents: readonly ParentField[]): Sure {
    // A field that is unknown but unchanged still has the value of the placeholder in the call's
    // URL.
    const isElsewhere = parents.some(
      ({ field, placeholder }) =>
        !Object.hasOwn(this.facts, field) && !isUnknown(field, this.unknowns) && this.#wasOutside(placeholder)
    )
    return isElsewhere ? false : matches(conditions, this.facts)
  }

  #mayHaveBeenIn(conditions: ListConditions, parents: readonly ParentField[]): boolean {
    if (this.unknowns === undefined || parents.some(({ placeholder }) => this.#wasOutside(placeholder))) return false
    return matches(conditions, this.facts, this.unknowns) !== false
  }

  /** Whether the call's URL had another value for a placeholder, so the record was below that. */
  #wasOutside(placeholder: ListConditions): boolean {
    return matches(placeholder, this.facts) === false
  }
}
