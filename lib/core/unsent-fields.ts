import type { HookContext } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import type { Invoke } from './compose.js'
import { idFieldOf, isAdapter } from './description.js'
import { type Builder, isKnexAdapter, type KnexAdapter, paramsWithBuilders } from './knex.js'
import { notesOf } from './notes.js'
import { factsOf } from './object-facts.js'
import { isPlain, pick } from './objects.js'

/** Says of the name of a field whether the caller of a method may send it. */
export type MaySend = (field: string) => boolean

/** Notes what the caller of an `update` may send. Several rules may say so, and a field must pass all of them. */
export function restrictSent(context: HookContext, maySend: MaySend): void {
  const notes = notesOf(context)
  const { maySend: before } = notes
  notes.maySend = before === undefined ? maySend : (field) => before(field) && maySend(field)
}

/**
 * Calls the `update` of an adapter, which replaces the record. Fields that the caller could not send, and that no hook has set, stay as they are stored: to replace them is not what
 * the caller has asked for. A service that is no adapter does what its method says.
 */
export async function updateSent(context: HookContext, maySend: MaySend, invoke: Invoke): Promise<unknown> {
  const { service, data, params, id } = context
  const { object = service, foreign } = factsOf(service)
  if (foreign !== undefined || !isAdapter(object) || !isPlain(data)) return invoke(context)
  const idField = idFieldOf(object)
  const isUnsent = (field: string) => field !== idField && data[field] === undefined && !maySend(field)
  // Adapters read the record before they write it, and would write the selected fields alone.
  const { $select, ...query } = params.query ?? {}
  const paramsOfWhole = { ...params, query }
  if (isKnexAdapter(object)) context.params = paramsWithoutColumns(paramsOfWhole, object, { isUnsent, idField, id })
  else {
    const record = await (object as unknown as Readable).get(id, paramsOfWhole)
    // Objects of a library, such as those of Sequelize, have more properties than the record has fields.
    const fields: object = typeof record.toJSON === 'function' ? record.toJSON() : record
    const unsent = Object.entries(fields).filter(([field]) => isUnsent(field))
    context.data = { ...data, ...Object.fromEntries(unsent) }
    context.params = paramsOfWhole
  }
  try {
    const result = await invoke(context)
    return Array.isArray($select) ? pick([idField, ...$select], (field) => Object(result)[field]) : result
  } finally {
    // Hooks and events see what was sent.
    context.params = params
    context.data = data
  }
}

interface Readable {
  get(id: unknown, params: object): Promise<{ toJSON?(): object }>
}

/**
 * Makes params with which the adapter for knex leaves columns alone: its statement would set them to `null`. To read them and write them back would change some, such as lists in JSON.
 */
function paramsWithoutColumns(
  params: Params,
  adapter: KnexAdapter,
  { isUnsent, idField, id }: { isUnsent: (column: string) => boolean; idField: string; id: unknown }
) {
  return paramsWithBuilders(params, adapter, (builder: Builder) => {
    const { update } = builder
    builder.update = (values, ...rest) => {
      const sent = Object.entries(Object(values)).filter(([column, value]) => value !== null || !isUnsent(column))
      // A statement that sets nothing is none.
      return update.call(builder, sent.length > 0 ? Object.fromEntries(sent) : { [idField]: id }, ...rest)
    }
    return builder
  })
}
