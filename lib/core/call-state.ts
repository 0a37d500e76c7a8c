import type { HookContext, Http } from '../../types/hooks.js'
import type { Query } from '../../types/service.js'
import type { Caller } from './http-call.js'

const notes = Symbol('notes')

/** What is noted of a call, on its context. */
export class CallState {
  /** Who has made the call over HTTP, also after a hook has replaced its params. */
  caller: Caller | undefined = undefined
  /** `context.http` as it was before the method ran: what hooks add later is about the result. */
  http: Http | undefined = undefined
  /** The result and `dispatch` that were seen last. */
  result: unknown = undefined
  dispatch: unknown = undefined
  /** The result that has failed, until a hook takes the error back. */
  failed: Pick<HookContext, 'result' | 'dispatch'> | undefined = undefined
  /**
   * Set once a hook has thrown while the rest of the call still runs, such as by a timeout.
   * Resolves to whether that rest succeeds.
   */
  abandoned: Promise<boolean> | undefined = undefined
  /**
   * The streams that were results, in order, each with the function that removes our listeners from
   * it. Few calls have streams.
   */
  streams: Map<AsyncIterable<unknown> | NodeJS.ReadableStream | ReadableStream, () => void> | undefined = undefined
  /** The fields that the records of the answer may have, where a hook has said so. */
  answeredFields: readonly string[] | undefined = undefined
  /**
   * The fields of a record that say to which placeholders of the path it belongs, by placeholder.
   */
  parentFields: Readonly<Record<string, string>> | undefined = undefined
  /** Which fields the caller of an `update` may send, where that is not all. */
  maySend: ((field: string) => boolean) | undefined = undefined
  /** What the method itself has answered, for the events: hooks make of it what its caller gets. */
  rawResult: RawResult | undefined = undefined
  /**
   * Whether a client has sent a text, where passwords are stored. A function, since whoever prints
   * a context must not print them.
   */
  hasSent: ((text: string) => boolean) | undefined = undefined
  /**
   * The condition on the stored hash of a password that a call replaces, a function for the same
   * reason.
   */
  replacedHash: (() => Query) | undefined = undefined
  /**
   * The versions that the next write of the record of a request expects. `null` if it has no
   * condition: the method of the request runs.
   */
  expectedVersions: ExpectedVersions | null | undefined = undefined
}

/** The versions of a record that a write expects, by `If-Match`. */
export interface ExpectedVersions {
  /** Whether any version matches. */
  readonly isAny: boolean
  includes(version: unknown): boolean
}

export interface RawResult {
  readonly records: readonly unknown[]
  /** `undefined` for a custom method: what it writes is not in its data. */
  readonly data: unknown
  /**
   * Whether a field of the records may have the value of another one, as by SQL's `secret as
   * title`.
   */
  readonly isRenamed: boolean
}

interface Noted extends HookContext {
  [notes]?: CallState
}

export function callStateOf(context: Noted): CallState {
  context[notes] ??= new CallState()
  return context[notes]
}

/**
 * The same for what may be no context, such as the second argument of an event that somebody emits
 * by hand: `undefined` where nothing is noted.
 */
export const callStateIn = (context: unknown): CallState | undefined => (context as Noted | null | undefined)?.[notes]
