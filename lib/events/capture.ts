import type { HookContext } from '../../types/hooks.js'
import { callStateIn, callStateOf } from '../core/call-state.js'
import type { Interceptor } from '../core/compose.js'
import { standardEvents } from '../core/description.js'
import { attempt } from '../core/errors.js'
import { clientOf } from '../core/http-call.js'
import { factsOfRecord, toScalar } from '../core/matching.js'
import { methods } from '../core/methods.js'
import { placeholdersIn } from '../core/path.js'
import { metaOf } from '../core/service-meta.js'
import { commitOf, hasLostCommit } from '../database/commit.js'
import type { CallEvents } from './call-events.js'
import { callerKeysOf, callHash } from './callers.js'
import type { LoggedEvent } from './log.js'
import { pluginName } from './options.js'
import { takeProbe } from './probe.js'
import type { Topic } from './topic.js'

/** Events that the stream itself sends. */
const reservedEvents = new Set(['connected', 'changed', 'reset', 'stopped', 'error'])

/**
 * Captures the events of a service. In a call with a transaction, events are written in the
 * transaction if the log can do that. Otherwise they are appended after the commit.
 *
 * @throws {Error} if an event of the service has the name of an event of the stream
 */
export function captureEvents(topic: Topic, callEvents: CallEvents): void {
  const { object, service } = topic.entry
  const { mounted } = metaOf(object)
  const customEvents = customEventsOf(topic)
  const intercept: Interceptor = (context, invoke) => {
    const probe = takeProbe(context)
    if (probe?.replaceMethod !== undefined) return probe.replaceMethod()
    return context.event ? captureResult(context, invoke) : invoke(context)
  }

  const captureResult: Interceptor = async (context, invoke) => {
    const data = methods.has(context.method) ? context.data : undefined
    const isRenamed = renamesFields(context.params)
    let result: unknown
    try {
      result = await invoke(context)
    } catch (error) {
      // The method may have used a transaction of its own.
      if (commitOf(context.params) === undefined && hasLostCommit(error, context.params))
        callEvents.reportLoss(Object(error))
      throw error
    }
    const records: readonly unknown[] = Array.isArray(result) ? result : [result]
    callStateOf(context).rawResult = { records, data, isRenamed }
    const { event } = context
    // The service emits its custom events itself.
    if (event !== null && !customEvents.includes(event))
      await callEvents.writeWithin(context, event, () =>
        records.map((record) => toEvent(topic, event, record, context))
      )
    return result
  }

  if (mounted === undefined) metaOf(service).interceptor = intercept
  else mounted.intercept(intercept)
  for (const name of new Set([...standardEvents, ...customEvents]))
    service.on(name, (record: unknown, cause?: unknown) => {
      // Applications may emit events with any second argument.
      const context = 'params' in Object(cause) ? (cause as HookContext) : undefined
      if (!callEvents.isWritten(context, name)) callEvents.append(toEvent(topic, name, record, context), context)
    })
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
    throw new Error(
      `${pluginName} can't send the event '${refused}' of '${path}': the stream itself has an event of this name`
    )
  return names
}

function toEvent(topic: Topic, name: string, emitted: unknown, context: HookContext | undefined): LoggedEvent {
  const { path, idField, settings } = topic
  const isRenamed = callStateIn(context)?.rawResult?.isRenamed === true
  const record = isRenamed ? undefined : rawRecordOf(emitted, name, context, idField)
  const facts = factsOfRecord(record, settings.touches)
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

function eventId(record: unknown, idField: string): string | number | undefined {
  const id = attempt(() => toScalar((record as Record<string, unknown> | null | undefined)?.[idField]))
  if (typeof id === 'object') return id?.text
  return typeof id === 'boolean' ? undefined : id
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
