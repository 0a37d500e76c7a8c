import { readProperty } from '../errors.js'
import { metaOf } from '../service-meta.js'
import { isKnexAdapter } from './knex.js'

/** Whether `null` comes before all values in an ascending order, or behind them. */
export type NullOrder = 'smallest' | 'largest'

/** Returns how an adapter sorts `null`. `undefined` for other objects, and for other databases. */
export function nullOrderOf(object: object): NullOrder | undefined {
  if (!isKnexAdapter(object)) return metaOf(object).nullOrder
  const dialect = readProperty(readProperty(object.getModel({}), 'client'), 'dialect')
  return dialect === 'postgresql' ? 'largest' : dialect === 'sqlite3' ? 'smallest' : undefined
}
