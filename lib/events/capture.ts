import type { HookContext } from '../../types/hooks.js'
import { callStateIn, callStateOf } from '../core/call-state.js'
import type { Interceptor } from '../core/compose.js'
import { standardEvents } from '../core/description.js'
import { attempt } from '../core/errors.js'
import { clientOf } from '../core/http-call.js'
import { methods } from '../core/methods.js'
import { placeholdersIn } from '../core/path.js'
import { metaOf } from '../core/service-meta.js'
import { type CommitEnd, commitOf, hasLostCommit } from '../database/commit.js'
import type { CallEvents } from './call-events.js'
import { callerKeysOf, callHash } from './callers.js'
import type { LoggedEvent } from './log.js'
import { type Facts, factsOfRecord } from './matching.js'
import { pluginName } from './options.js'
import { takeProbe } from './probe.js'
import type { Topic } from './topic.js'

/** Events that the stream itself sends. */
const reservedEvents = new Set(['connected', 'changed', 'reset', 'stopped', 'error'])

/**
 * Captures the events of a service. In a call with a transaction, events are written in the
 * transaction if the log can do that. Otherwise they are appended after the commit.
 *
 * @param isWanted whether a client may listen; otherwise calls do no extra work
 * @throws {Error} if an event of the service has the name of an event of the stream
 */
export function captureEvents(topic: Topic, isWanted: () => boolean, callEvents: CallEvents): void {
  new EventCapture(topic, isWanted, callEvents).start()
}

class EventCapture {
  readonly #topic: Topic
  readonly #isWanted: () => boolean
  readonly #callEvents: CallEvents
  readonly #customEvents: readonly string[]

  constructor(topic: Topic, isWanted: () => boolean, callEvents: CallEvents) {
    this.#topic = topic
    this.#isWanted = isWanted
    this.#callEvents = callEvents
    this.#customEvents = customEventsOf(topic)
  }

  start(): void {
    const { object, service } = this.#topic.entry
    const { mounted } = metaOf(object)
    if (mounted === undefined) metaOf(service).interceptor = this.#intercept
    else mounted.intercept(this.#intercept)
    for (const name of new Set([...standardEvents, ...this.#customEvents]))
      service.on(name, (record: unknown, cause?: unknown) => {
        // Applications may emit events with any second argument.
        const context = 'params' in Object(cause) ? (cause as HookContext) : undefined
        this.#onEvent(name, record, context)
      })
  }

  readonly #intercept: Interceptor = (context, invoke) => {
    const probe = takeProbe(context)
    if (probe?.replaceMethod !== undefined) return probe.replaceMethod()
    if (!context.event || this.#isIdle(commitOf(context.params))) return invoke(context)
    return this.#captureResult(context, invoke)
  }

  /**
   * Whether nobody gets an event of now. With a transaction, the event comes with the commit, and a
   * client that connects until then has read the list without it.
   */
  #isIdle(commit: Promise<CommitEnd> | undefined): boolean {
    return commit === undefined && !this.#isWanted()
  }

  readonly #captureResult: Interceptor = async (context, invoke) => {
    const data = methods.has(context.method) ? context.data : undefined
    const isRenamed = renamesFields(context.params)
    let result: unknown
    try {
      result = await invoke(context)
    } catch (error) {
      // The method may have used a transaction of its own.
      if (commitOf(context.params) === undefined && hasLostCommit(error, context.params))
        this.#callEvents.reportLoss(Object(error))
      throw error
    }
    const records: readonly unknown[] = Array.isArray(result) ? result : [result]
    callStateOf(context).rawResult = { records, data, isRenamed }
    const commit = commitOf(context.params)
    if (commit !== undefined) await this.#writeWithin(context, records, commit)
    return result
  }

  async #writeWithin(context: HookContext, records: readonly unknown[], commit: Promise<CommitEnd>): Promise<void> {
    const { event, params } = context
    // The service emits its custom events itself.
    if (event === null || this.#customEvents.includes(event)) return
    const toEvents = () => records.map((record) => toEvent(this.#topic, event, record, context))
    await this.#callEvents.writeWithin(context, params.transaction, event, toEvents)
    // If the commit fails, the call fails and emits nothing, so `#onEvent` would not learn of it.
    void commit.then(
      (end) => end === undefined && this.#callEvents.handleLostCommit(context, params.transaction, event)
    )
  }

  #onEvent(name: string, record: unknown, context: HookContext | undefined): void {
    const commit = commitOf(context?.params)
    if (this.#isIdle(commit)) return
    const { transaction } = Object(context?.params)
    const isWritten = context !== undefined && this.#callEvents.isWritten(context, name)
    const event = isWritten ? undefined : toEvent(this.#topic, name, record, context)
    if (context === undefined || commit === undefined) this.#appendOrCollect(event, context)
    else
      void commit.then((end) => {
        if (end === undefined) this.#callEvents.handleLostCommit(context, transaction, name)
        else if (end && this.#isWanted()) this.#appendOrCollect(event, undefined)
      })
  }

  /** @param event `undefined` if it is written in its transaction */
  #appendOrCollect(event: LoggedEvent | undefined, context: HookContext | undefined): void {
    if (event === undefined) this.#callEvents.collect()
    else this.#callEvents.append(event, context)
  }
}

const fieldName = /^[\p{L}\p{N}_-]+$/u

/**
 * Whether `$select` may rename fields, as SQL does for `secret as title`. Then a field may hold the
 * value of another one.
 */
function renamesFields({ query }: HookContext['params']): boolean {
  const { $select = [] } = Object(query)
  return ![$select].flat().every((item) => typeof item === 'string' && fieldName.test(item))
}

function customEventsOf({ entry: { path, object, options } }: Topic): readonly string[] {
  const { events = (object as { events?: unknown }).events } = options as { events?: unknown }
  const names = Array.isArray(events) ? events.filter((name) => typeof name === 'string') : []
  const refused = names.find((name) => reservedEvents.has(name))
  if (refused !== undefined)
    throw new Error(`${pluginName} can't tell of '${refused}' of '${path}': streams have this name for something else`)
  return names
}

function toEvent(topic: Topic, name: string, emitted: unknown, context: HookContext | undefined): LoggedEvent {
  const { path, idField, settings } = topic
  const isRenamed = callStateIn(context)?.rawResult?.isRenamed === true
  const record = isRenamed ? undefined : rawRecordOf(emitted, name, context, idField)
  const facts = exceptFields(settings.touches, factsOfRecord(record))
  const client = context && clientOf(context)
  const params = Object(context?.params)
  const call = callHash(Object(client?.request).headers)
  return {
    service: path,
    event: name,
    id: eventId(record, idField),
    facts,
    touched: touchedFieldsOf(topic, name, context),
    route: routeOf(context, path),
    call,
    callers: call === undefined ? [] : callerKeysOf(params, params.headers)
  }
}

/**
 * Returns the record of an event as the method has returned it, since hooks may change the emitted
 * record for the author of the call. A record that the application emits itself is used as it is.
 */
function rawRecordOf(emitted: unknown, name: string, context: HookContext | undefined, idField: string): unknown {
  if (context === undefined || context.event !== name) return emitted
  const id = eventId(emitted, idField)
  return id === undefined
    ? undefined
    : callStateIn(context)?.rawResult?.records.find((raw) => eventId(raw, idField) === id)
}

const maxIdLength = 256

function eventId(record: unknown, idField: string): string | number | undefined {
  const id = attempt(() => (record as Record<string, unknown> | null | undefined)?.[idField])
  if (typeof id === 'number') return id
  const { toHexString } = Object(id) as { toHexString?: unknown }
  const text = typeof id === 'bigint' || typeof toHexString === 'function' ? attempt(() => String(id)) : id
  return typeof text === 'string' && text.length <= maxIdLength ? text : undefined
}

function exceptFields(names: readonly string[] = [], facts: Facts): Facts {
  return names.length === 0
    ? facts
    : Object.fromEntries(Object.entries(facts).filter(([name]) => !names.includes(name)))
}

/** Returns the fields that may have had other values before an event; `true` for any. */
function touchedFieldsOf(
  { isUnchangedAdapter, idField }: Topic,
  name: string,
  context: HookContext | undefined
): readonly string[] | true {
  const data = callStateIn(context)?.rawResult?.data
  const isCustom = context !== undefined && !methods.has(context.method)
  const fields = [data].flat().flatMap((record) => Object.keys(Object(record)))
  if (name === 'removed') return []
  // With an id in the data, a store may have replaced a record that was there.
  if (name === 'created') return isCustom || (context !== undefined && fields.includes(idField)) ? true : []
  if (name !== 'patched' || data === undefined || !isUnchangedAdapter) return true
  return fields.some((field) => field.startsWith('$')) ? true : fields
}

function routeOf(context: HookContext | undefined, path: string): LoggedEvent['route'] {
  const route = Object(context?.params.route) as Record<string, unknown>
  const named = placeholdersIn(path).filter((name) => Object.hasOwn(route, name))
  return Object.fromEntries(named.map((name) => [name, String(route[name])]))
}
