import type { HookContext } from '../../../types/hooks.js'
import type { Params, Query } from '../../../types/service.js'
import { callStateOf } from '../call-state.js'
import type { Invoke } from '../compose.js'
import { pick } from '../objects.js'
import { implementationOf } from '../service-meta.js'
import { idFieldOf, ownersOf } from './feathers.js'
import { type Builder, isKnexAdapter, type KnexAdapter, paramsWithBuilders } from './knex.js'
import { TableService } from './table.js'

/** Whether the caller of a method may send a field. */
export type MaySend = (field: string) => boolean

/** Restricts the fields that the caller of an `update` may send, besides earlier restrictions. */
export function restrictSentFields(context: HookContext, maySend: MaySend): void {
  const state = callStateOf(context)
  const { maySend: before } = state
  state.maySend = before === undefined ? maySend : (field) => before(field) && maySend(field)
}

/**
 * Calls the `update` of a service. With a `TableService`, `@feathersjs/knex` and
 * `@feathersjs/memory`, stored values stay in the fields that the caller can't send and that no hook
 * has set. Other adapters would have to read and write these fields, which changes some of them. A
 * class with its own `update` decides for itself.
 */
export function updateSentFields(context: HookContext, maySend: MaySend, invoke: Invoke): unknown {
  const { service, data } = context
  const object = implementationOf(service)
  const isSent = (field: string) => Object.hasOwn(Object(data), field) || maySend(field)
  if (object instanceof TableService) return updateTable(context, (column) => !isSent(column), invoke)
  if (isKnexAdapter(object) && areOriginal(object, ['update', '_update', 'db', 'getModel', 'getOptions']))
    return updateColumns(context, object, isSent, invoke)
  if (isMemory(object) && areOriginal(object, ['update', '_update']))
    return updateStored(context, object, isSent, invoke)
  return invoke(context)
}

/** Whether an object inherits each of these methods from one class: nothing overrides them. */
const areOriginal = (object: object, names: readonly string[]): boolean =>
  names.every((name) => ownersOf(object, name).length === 1)

type IsSent = (field: string) => boolean

async function updateTable(context: HookContext, keeps: IsSent, invoke: Invoke): Promise<unknown> {
  const { params } = context
  context.params = { ...params, adapter: { ...Object(params.adapter), keeps } }
  try {
    return await invoke(context)
  } finally {
    // Hooks further out may pass the params on to other services.
    context.params = params
  }
}

/** Removes columns from the statement that it would set to `null`. */
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
      // Without columns to set, the builder selects the record instead.
      return sent.length === 0 ? builder : update.call(builder, Object.fromEntries(sent), ...rest)
    }
    return builder
  }
  // The adapter reads the record first, and would only write the selected columns.
  const { $select, ...query }: Query = Object(params.query)
  context.params = paramsWithBuilders({ ...params, query }, adapter, change)
  try {
    const result = await invoke(context)
    return Array.isArray($select) ? pick([idFieldOf(adapter), ...$select], (field) => Object(result)[field]) : result
  } finally {
    // Hooks further out may pass the params on to other services.
    context.params = params as Params
  }
}

/** The database adapter `@feathersjs/memory`. */
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
