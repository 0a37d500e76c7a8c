import type { ServiceError } from '../../core/errors.js'
import { toSayable } from '../rest-service.js'

/**
 * A message of the tab that holds the stream to all tabs, itself included: the data of a frame, or
 * what became of the stream.
 */
export interface StreamMessage {
  /**
   * `connected`, `stale` (the stream is away, and is tried again), `stopped` (it is over, or a list
   * of it), `reset`, `changed`, or the event of a service.
   */
  readonly event: string
  /** The lists that it concerns, by their keys. Default: all. */
  readonly keys?: readonly string[]
  readonly path?: string
  readonly data?: unknown
  /** The hash of the call whose event it is. */
  readonly call?: unknown
  /** The position behind it. */
  readonly id?: string | undefined
  /** Whether nothing was missed before `connected`. */
  readonly isResumed?: boolean
  /** How long the reads of all who hear it should be spread, in ms. */
  readonly wait?: number
  /** Why the stream, or a list, has stopped. */
  readonly reason?: unknown
  /** The error behind that, as JSON. */
  readonly error?: unknown
}

/** A message, with the error as one that can be thrown. */
export type Signal = Omit<StreamMessage, 'error'> & { readonly error?: ServiceError | undefined }

/**
 * Returns a text that is the same for the same list in all tabs. A value that JSON lacks becomes
 * text, as in the query of a call.
 */
export const toListKey = (path: string, query: unknown): string => JSON.stringify([path, query ?? {}], toSayable)

export const parseKey = (key: string): [path: string, query: object] => JSON.parse(key)
