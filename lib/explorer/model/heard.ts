import { isObject, propertyOf, textOf } from './json.js'
import { idOfRecord } from './result.js'

/** An event of a list, as it was heard. */
export interface HeardEvent {
  readonly time: Date
  readonly name: string
  /** Of the record that it is about. */
  readonly id: string | undefined
  /** An explanation, if the name alone is unclear. */
  readonly text: string
}

/** The events so far, newest first. */
export interface Heard {
  readonly events: readonly HeardEvent[]
  /** How many older ones are no longer among them. */
  readonly dropped: number
}

export const nothingHeard: Heard = { events: [], dropped: 0 }

/** How many events the page shows. */
export const mostEvents = 200

/** A message of a stream, or about its state. */
export interface ListMessage {
  readonly event: string
  readonly data?: unknown
  readonly reason?: unknown
  readonly error?: unknown
}

const meanings: ReadonlyMap<string, string> = new Map([
  ['changed', 'Something in the list may have changed.'],
  ['reset', 'Events were missed.']
])

// Messages of these names are about the stream, and no events of a service.
const ofStream = ['connected', 'stale', 'stopped', 'connecting']

/** Adds a message where it is an event. */
export function hear(heard: Heard, { event, data }: ListMessage, idField: string, time: Date): Heard {
  if (ofStream.includes(event)) return heard
  const id = isObject(data) ? idOfRecord(data, idField) : undefined
  const text = meanings.get(event) ?? (id === undefined ? (JSON.stringify(data) ?? '') : '')
  const events = [{ time, name: event, id, text }, ...heard.events]
  return { events: events.slice(0, mostEvents), dropped: heard.dropped + Math.max(0, events.length - mostEvents) }
}

/** Whether the events come, in words; `isOver` where nothing comes until somebody asks again. */
export interface ListeningState {
  readonly text: string
  readonly isLive: boolean
  readonly isOver: boolean
}

export const connecting: ListeningState = { text: 'Connecting …', isLive: false, isOver: false }
export const stopped: ListeningState = { text: 'Not listening.', isLive: false, isOver: true }

/** The state of the stream after a message, `undefined` if the message does not change it. */
export function toListening({ event, error }: ListMessage): ListeningState | undefined {
  const why = textOf(propertyOf(error, 'message'))
  if (event === 'connected') return { text: 'Listening. Events appear here as they come.', isLive: true, isOver: false }
  if (event === 'stale')
    return { text: `Not live: ${why ?? 'the stream has ended'}. It is tried again.`, isLive: false, isOver: false }
  if (event === 'stopped' && error !== undefined) return { ...stopped, text: `Not live: ${why}` }
  return undefined
}
