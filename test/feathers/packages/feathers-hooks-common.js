import { conditions } from './hooks-common/conditions.js'
import { joins } from './hooks-common/joins.js'
import { queries } from './hooks-common/queries.js'
import { records } from './hooks-common/records.js'

/** Each hook and helper that the package exports. */
export async function run(t) {
  for (const part of [conditions, queries, records, joins]) await part(t)
}
