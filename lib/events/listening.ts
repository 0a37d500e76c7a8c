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
import { callersOf, callHash } from './callers.js'
import type { Channel } from './channel.js'
import { isUnchangedAdapter } from './feathers-adapter.js'
import type { Intake } from './intake.js'
import type { LoggedEvent } from './log.js'
import { type Facts, factsOfRecord } from './matching.js'
import { doorName } from './options.js'
import { questionOf } from './question.js'

/** The names that streams have for other things. */
const reservedEvents = new Set(['connected', 'changed', 'reset', 'stopped', 'error'])

/**
 * Hears what happens at a service. Events of a call in a transaction are written in it, where the
 * log can do that, and are else taken after its commit.
 * @param isWanted whether somebody may listen: otherwise nothing is done for a call
 * @throws when an event of the service has a name that streams have for something else
 */
export function listenTo(channel: Channel, isWanted: () => boolean, intake: Intake): void {
  const { entry } = channel
  const ownEvents = customEvents(channel)
  const interceptor: Interceptor = (context, invoke) => {
    const question = questionOf(context)
    if (question?.answer !== undefined) return question.answer()
    if (!context.event || isIdle(commitOf(context.params))) return invoke(context)
    return noteResult(context, invoke)
  }
  /**
   * Whether nobody hears of what happens now. In a transaction it happens with the commit: whoever
   * listens by then reads nothing of it before.
   */
  const isIdle = (commit: Promise<CommitEnd> | undefined) => commit === undefined && !isWanted()
  const noteResult: Interceptor = async (context, invoke) => {
    const data = methods.has(context.method) ? context.data : undefined
    const isRenamed = renamesFields(context.params)
    let result: unknown
    try {
      result = await invoke(context)
    } catch (error) {
      // The method may have begun a transaction of its own.
      if (commitOf(context.params) === undefined && hasLostCommit(error, context.params)) intake.lose(Object(error))
      throw error
    }
    const records: readonly unknown[] = Array.isArray(result) ? result : [result]
    callStateOf(context).rawResult = { records, data, isRenamed }
    const { event, params } = context
    // What the service emits itself is taken when it does.
    const commit = commitOf(params)
    if (event === null || ownEvents.includes(event) || commit === undefined) return result
    const toEvents = () => records.map((record) => toEvent(channel, event, record, context))
    await intake.takeWithin(context, params.transaction, event, toEvents)
    // A call fails with its commit, and emits nothing then.
    void commit.then((end) => end === undefined && intake.doubt(context, params.transaction, event))
    return result
  }
  const { mounted } = metaOf(entry.object)
  if (mounted === undefined) metaOf(entry.service).interceptor = interceptor
  else mounted.intercept(interceptor)
  for (const name of new Set([...standardEvents, ...ownEvents]))
    entry.service.on(name, (record: unknown, cause?: unknown) => {
      // Who emits an event by hand may add anything.
      const context = 'params' in Object(cause) ? (cause as HookContext) : undefined
      const commit = commitOf(context?.params)
      if (isIdle(commit)) return
      const { transaction } = Object(context?.params)
      const isWritten = context !== undefined && intake.isWritten(context, name)
      const event = isWritten ? undefined : toEvent(channel, name, record, context)
      if (context === undefined || commit === undefined) take(event, context)
      else
        void commit.then((end) => {
          if (end === undefined) intake.doubt(context, transaction, name)
          else if (end && isWanted()) take(event, undefined)
        })
    })
  /** @param event `undefined` for one that is written in its transaction already */
  const take = (event: LoggedEvent | undefined, context: HookContext | undefined) =>
    event === undefined ? intake.collect() : intake.take(event, context)
}

const fieldName = /^[\p{L}\p{N}_-]+$/u

/**
 * A client may ask SQL for `secret as title`: only what is selected by nothing but names has the
 * values of the fields that it names.
 */
function renamesFields({ query }: HookContext['params']): boolean {
  const { $select = [] } = Object(query)
  return ![$select].flat().every((item) => typeof item === 'string' && fieldName.test(item))
}

function customEvents({ entry: { path, object, options } }: Channel): readonly string[] {
  const { events = (object as { events?: unknown }).events } = options as { events?: unknown }
  const names = Array.isArray(events) ? events.filter((name) => typeof name === 'string') : []
  const refused = names.find((name) => reservedEvents.has(name))
  if (refused !== undefined)
    throw new Error(`${doorName} can't tell of '${refused}' of '${path}': streams have this name for something else`)
  return names
}

function toEvent(channel: Channel, name: string, emitted: unknown, context: HookContext | undefined): LoggedEvent {
  const { path, entry, idField, settings } = channel
  const isRenamed = callStateIn(context)?.rawResult?.isRenamed === true
  const record = isRenamed ? undefined : sourceOf(emitted, name, context, idField)
  const facts = exceptFields(settings.touches, factsOfRecord(record))
  const client = context && clientOf(context)
  const params = Object(context?.params)
  const call = callHash(Object(client?.request).headers)
  return {
    service: path,
    event: name,
    id: eventId(record, idField),
    facts,
    touched: touchedBy(name, context, entry.object, idField),
    route: routeOf(context, path),
    call,
    callers: call === undefined ? [] : callersOf(params, params.headers)
  }
}

/**
 * The record of an event as the method has given it. What is emitted for a call may have been
 * changed by hooks, for its author: where the method's own record is not known, nothing is. What is
 * emitted by hand is taken as it is.
 */
function sourceOf(emitted: unknown, name: string, context: HookContext | undefined, idField: string): unknown {
  if (context === undefined || context.event !== name) return emitted
  const id = eventId(emitted, idField)
  return id === undefined
    ? undefined
    : callStateIn(context)?.rawResult?.records.find((raw) => eventId(raw, idField) === id)
}

/** In characters. */
const longestId = 256

function eventId(record: unknown, idField: string): string | number | undefined {
  const id = attempt(() => (record as Record<string, unknown> | null | undefined)?.[idField])
  if (typeof id === 'number') return id
  const { toHexString } = Object(id) as { toHexString?: unknown }
  const text = typeof id === 'bigint' || typeof toHexString === 'function' ? attempt(() => String(id)) : id
  return typeof text === 'string' && text.length <= longestId ? text : undefined
}

function exceptFields(names: readonly string[] = [], facts: Facts): Facts {
  return names.length === 0
    ? facts
    : Object.fromEntries(Object.entries(facts).filter(([name]) => !names.includes(name)))
}

/** The fields that may have had other values before an event. */
function touchedBy(
  name: string,
  context: HookContext | undefined,
  object: object,
  idField: string
): readonly string[] | true {
  const data = callStateIn(context)?.rawResult?.data
  const isCustom = context !== undefined && !methods.has(context.method)
  const fields = [data].flat().flatMap((record) => Object.keys(Object(record)))
  if (name === 'removed') return []
  // A store may replace the record that has an id already.
  if (name === 'created') return isCustom || (context !== undefined && fields.includes(idField)) ? true : []
  if (name !== 'patched' || data === undefined || !isUnchangedAdapter(object)) return true
  return fields.some((field) => field.startsWith('$')) ? true : fields
}

function routeOf(context: HookContext | undefined, path: string): LoggedEvent['route'] {
  const route = Object(context?.params.route) as Record<string, unknown>
  const named = placeholdersIn(path).filter((name) => Object.hasOwn(route, name))
  return Object.fromEntries(named.map((name) => [name, String(route[name])]))
}
