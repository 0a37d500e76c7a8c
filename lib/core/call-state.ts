import type { HookContext, Http } from '../../types/hooks.js'
import type { Query } from '../../types/service.js'
import type { Interceptor } from './compose.js'
import type { Caller } from './http-call.js'

const callState = Symbol('call state')

/** State of one call, stored on its hook context. */
export class CallState {
  /** The client of a call over HTTP, also after a hook has replaced the params. */
  caller: Caller | undefined = undefined
  /** `context.http` before the method ran. Later changes belong to the result. */
  http: Http | undefined = undefined
  /** The result and `dispatch` that were tracked last. */
  result: unknown = undefined
  dispatch: unknown = undefined
  /** The result of the hook or method that failed, until another hook recovers. */
  failed: Pick<HookContext, 'result' | 'dispatch'> | undefined = undefined
  /**
   * Set if a hook has thrown while the rest of the call still runs, as after a timeout. Resolves to
   * whether that rest succeeds.
   */
  abandoned: Promise<boolean> | undefined = undefined
  /**
   * Whether the call has failed within a transaction that others share, and that a transaction of
   * its own would have rolled back. Outer hooks may recover.
   */
  hasUndoneWork = false
  /** The streams among the results, in order, each with a function that removes our listeners. */
  streams: Map<AsyncIterable<unknown> | NodeJS.ReadableStream | ReadableStream, () => void> | undefined = undefined
  /** The fields that the records of the result may have, if a hook restricts them. */
  answeredFields: readonly string[] | undefined = undefined
  /** Whether hooks add fields that depend on the caller and on other records. Then no cache keeps the answer. */
  addsFields = false
  /** The field of a record that must match each placeholder of the path. */
  parentFields: Readonly<Record<string, string>> | undefined = undefined
  /** The id of a parent record that the caller may see, and whether the caller is logged in. */
  parent: { readonly rule: object; readonly isLoggedIn: unknown; readonly id: string | number } | undefined = undefined
  /** Whether the caller of an `update` may send a field. `undefined`: all fields. */
  maySend: ((field: string) => boolean) | undefined = undefined
  /** Calls the method, if the client walks through a list by cursors. */
  walk: ListWalk | undefined = undefined
  /** The method's own result, before after hooks, for events. */
  rawResult: RawResult | undefined = undefined
  /** Resolve when the event log has the events of the call, which waits for them. */
  appendedEvents: readonly Promise<void>[] | undefined = undefined
  /** The events that are written in the transaction of the call: by which log, and their name. */
  writtenEvents: { readonly log: object; readonly name: string } | undefined = undefined
  /**
   * Whether the client has sent a string to a service that stores passwords. A function, so that
   * printing a context does not print passwords.
   */
  hasSent: ((text: string) => boolean) | undefined = undefined
  /** The condition of a write of a user, such as its password hash; a function for that reason. */
  writeCondition: (() => Query) | undefined = undefined
  /**
   * The versions that the next write of the record of a request expects. `null` if it has no
   * condition: the method of the request runs.
   */
  expectedVersions: ExpectedVersions | null | undefined = undefined
}

/** A call of `find` that reads one page of a walk by cursors. */
export interface ListWalk {
  run: Interceptor
  /**
   * Returns the cursor behind the last record of a page, `undefined` if no records are behind it.
   *
   * @param records of the page, after all hooks
   * @param toSent returns a record as it is sent
   * @throws {BadRequest} if the client does not get the values of the order
   */
  nextCursor(records: readonly unknown[] | undefined, toSent: (record: unknown) => unknown): string | undefined
}

/** The versions of a record that a write expects, by `If-Match`. */
export interface ExpectedVersions {
  /** Whether any version matches. */
  readonly isAny: boolean
  includes(version: unknown): boolean
}

interface RawResult {
  readonly records: readonly unknown[]
  /** `undefined` for a custom method, whose data is not what it writes. */
  readonly data: unknown
  /** Whether a field may hold the value of another one, as by SQL's `secret as title`. */
  readonly isRenamed: boolean
}

interface WithCallState extends HookContext {
  [callState]?: CallState
}

/** Returns the state of a call, and creates it when it is first needed. */
export function callStateOf(context: WithCallState): CallState {
  context[callState] ??= new CallState()
  return context[callState]
}

/**
 * Returns the state of a call, if there is one. The value may be anything, such as the second
 * argument of an event that the application emits itself.
 */
export const callStateIn = (context: unknown): CallState | undefined =>
  (context as WithCallState | null | undefined)?.[callState]
