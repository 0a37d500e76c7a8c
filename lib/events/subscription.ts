import { Audience, type Telling } from './audience.js'
import type { Channel } from './channel.js'
import type { LoggedEvent } from './log.js'
import type { ListRequest } from './requests.js'
import type { Rule } from './rule.js'
import type { EventStream } from './stream.js'

/** A list that a stream tells of. */
export interface Subscription {
  readonly list: ListRequest
  readonly channel: Channel
  readonly stream: EventStream
  /** The number of the list among those of the stream; `undefined` where there is one alone. */
  readonly index: number | undefined
  /** Which records are in the list, as was answered last. */
  readonly rule: Rule
}

/** All subscriptions, by stream and by service. */
export class Subscriptions {
  readonly #byStream = new Map<EventStream, Set<Subscription>>()
  readonly #audiences = new Map<Channel, Audience<Subscription>>()

  add(subscription: Subscription): void {
    const { stream, channel } = subscription
    this.#byStream.set(stream, (this.#byStream.get(stream) ?? new Set()).add(subscription))
    const audience = this.#audiences.get(channel) ?? new Audience<Subscription>()
    this.#audiences.set(channel, audience)
    audience.add(subscription)
  }

  /** The subscriptions of a stream. */
  of(stream: EventStream): readonly Subscription[] {
    return [...(this.#byStream.get(stream) ?? [])]
  }

  /** Whether a subscription is one still, and may be told of. */
  has(subscription: Subscription): boolean {
    return this.#byStream.get(subscription.stream)?.has(subscription) === true
  }

  /** Gives a subscription another rule. */
  replaceRule(subscription: Subscription, rule: Rule): void {
    Object.assign(subscription, { rule })
    this.#audiences.get(subscription.channel)?.add(subscription)
  }

  delete(subscription: Subscription): void {
    this.#byStream.get(subscription.stream)?.delete(subscription)
    this.#audiences.get(subscription.channel)?.delete(subscription)
  }

  /** Deletes all subscriptions of a stream. */
  deleteAll(stream: EventStream): void {
    for (const subscription of this.of(stream)) this.delete(subscription)
    this.#byStream.delete(stream)
  }

  /** The subscriptions that an event of a service concerns, with what they are told. */
  concerned(channel: Channel, event: LoggedEvent): Iterable<readonly [Subscription, Telling]> {
    return this.#audiences.get(channel)?.concerned(event) ?? []
  }
}
