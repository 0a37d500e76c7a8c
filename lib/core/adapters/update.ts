import type { HookContext } from '../../../types/hooks.js'
import type { Params, Query } from '../../../types/service.js'
import { callStateOf } from '../call-state.js'
import type { Invoke } from '../compose.js'
import { pick } from '../objects.js'
import { metaOf } from '../service-meta.js'
import { idFieldOf, ownersOf } from './feathers.js'
import { type Builder, isKnexAdapter, type KnexAdapter, paramsWithBuilders } from './knex.js'

/** Says of the name of a field whether the caller of a method may send it. */
export type MaySend = (field: string) => boolean

/**
 * CallState what the caller of an `update` may send. Several rules may say so, and a field must pass
 * all of them.
 */
export function restrictSentFields(context: HookContext, maySend: MaySend): void {
  const notes = callStateOf(context)
  const { maySend: before } = notes
  notes.maySend = before === undefined ? maySend : (field) => before(field) && maySend(field)
}

/**
 * Calls the `update` of a service. With the adapters for knex and for memory, fields that the
 * caller could not send, and that no hook has set, stay as they are stored: to replace them is not
 * what the caller has asked for. Other adapters would need to read them and to write them back,
 * which changes some of them; a class with an `update` of its own does what that says.
 */
export function updateSentFields(context: HookContext, maySend: MaySend, invoke: Invoke): unknown {
  const { service, data } = context
  const { object = service } = metaOf(service)
  const isSent = (field: string) => Object.hasOwn(Object(data), field) || maySend(field)
  if (isKnexAdapter(object) && areAsWritten(object, ['update', '_update', 'db', 'getModel', 'getOptions']))
    return updateColumns(context, object, isSent, invoke)
  if (isMemory(object) && areAsWritten(object, ['update', '_update']))
    return updateStored(context, object, isSent, invoke)
  return invoke(context)
}

/**
 * Whether an object has methods of the name from one class alone, so that nothing has replaced
 * them.
 */
const areAsWritten = (object: object, names: readonly string[]): boolean =>
  names.every((name) => ownersOf(object, name).length === 1)

type IsSent = (field: string) => boolean

/** Lets the statement leave columns alone that it would set to `null`. */
async function updateColumns(
  context: HookContext,
  adapter: KnexAdapter & object,
  isSent: IsSent,
  invoke: Invoke
): Promise<unknown> {
  const { params } = context
  const change = (builder: Builder): Builder => {
    const { update } = builder
    builder.update = (values, ...rest) => {
      const sent = Object.entries(Object(values)).filter(([column, value]) => value !== null || isSent(column))
      // A statement that sets nothing is none: the builder selects the record instead.
      return sent.length === 0 ? builder : update.call(builder, Object.fromEntries(sent), ...rest)
    }
    return builder
  }
  // The adapter reads the record before it writes it, and would write the selected columns alone.
  const { $select, ...query }: Query = Object(params.query)
  context.params = paramsWithBuilders({ ...params, query }, adapter, change)
  try {
    const result = await invoke(context)
    return Array.isArray($select) ? pick([idFieldOf(adapter), ...$select], (field) => Object(result)[field]) : result
  } finally {
    // Hooks further out may pass them on to other services.
    context.params = params as Params
  }
}

/** The adapter for memory. */
interface Memory {
  readonly store: Readonly<Record<string, object | undefined>>
}

const isMemory = (object: object): object is Memory =>
  ownersOf(object, '_update')[0]?.constructor.name === 'MemoryAdapter' && 'store' in object

async function updateStored(context: HookContext, { store }: Memory, isSent: IsSent, invoke: Invoke): Promise<unknown> {
  const { data, id } = context
  const unsent = Object.entries(store[String(id)] ?? {}).filter(([field]) => !isSent(field))
  context.data = { ...Object.fromEntries(unsent), ...Object(data) }
  try {
    return await invoke(context)
  } finally {
    // Hooks and events see what was sent.
    context.data = data
  }
}
