import { methods } from '../core/methods.js'
import { metaOf } from '../core/service-meta.js'

const standard = [...methods.values()].flatMap(({ event }) => event ?? [])

/**
 * The events that an object emits itself: the standard ones too where it is a service already, of
 * another application or of one of Feathers.
 */
export function eventsOf(object: object, eventsOption: readonly string[] | undefined): readonly string[] | undefined {
  if (!metaOf(object).isRegistered && !(Symbol.for('@feathersjs/service') in object)) return eventsOption
  const events: unknown = eventsOption ?? (object as { events?: unknown }).events
  return Array.isArray(events) ? [...standard, ...events] : standard
}
