import t from 'tap'
import { listOfService } from '../../lib/explorer/model/place.js'
import { type Selection, toConditions, toQuery } from '../../lib/explorer/model/query.js'
import { createFollow, toField } from '../../lib/explorer/model/schema.js'
import { isKept } from '../support/kept.js'
import { toFilters, toPlain } from './plain.js'

const types = {
  n: { type: 'number' },
  open: { type: 'boolean' },
  rank: { enum: [1, 2, 'x'] },
  name: { type: 'string' }
}
const query = Object.entries(types).map(([name, schema]) => ({
  ...toField(name, schema, createFollow({})),
  operators: []
}))

/** Conditions as `field|operator|text`. */
// biome-ignore format: a table
const conditions = [
  ...[
    '', 'n||5', 'n||', 'n|$gt|', '||', '||a', '|$gt|5', '|$in|', '|$in|,', 'n||x', 'n||05', 'open||true', 'open||True', 'rank||2',
    'rank||x', 'rank||3'
  ],
  ...[
    'name||5', 'name|| a ', 'other||5', 'other|$gt|5', 'n|$own|5', 'name|$in|a', 'n|$in|1,2', 'n|$in|1, 2,,x, ', 'n|$in|,', 'n|$nin| , ',
    'n|$in|[1,"2",null,{"a":1}]'
  ],
  ...[
    'name|$nin|["a,b",7]', 'name|$in|{}', 'name|$in|{"a":1,"b":2}', 'name|$in|[]', 'name|$in|[1', 'name|$in|"a"', 'name|$in|7',
    'rank|$in|1,x,9', 'name|$in| [1] '
  ],
  ...[
    'n|$gt|5 & n|$lt|7.5', 'n|$gt|5 & n|$gt|6', 'n||1 & n||2', 'n||1 & n|$gt|0', 'n|$gt|0 & n||1',
    'n|$gt|0 & n|$lt|2 & n|$gt|1 & n|$lt|3', 'n|$in|1 & n|$in|2'
  ],
  ...[
    'n||1 & name||a & n||2 & name||b', 'n||1 & n|| & n||3 & ||a & n|$in|,', '__proto__||a & __proto__|$gt|b',
    'constructor||a & toString|$in|a,b', 'name||a & open||false & n|$ne|1'
  ],
  ...['$and||a & n||1 & n||2', '$sort||a', 'n|$in|, & n||1 & |$gt|1 & ||b']
]
// biome-ignore format: a table
const selections: Partial<Selection>[] = [
  ...[{}, { skip: 1 }, { limit: 0 }, { limit: 10, skip: 20 }, { columns: ['a'] }, { columns: ['b', 'a', 'b'] }],
  ...[{ sort: { field: 'a', direction: 1 as const } }, { sort: { field: '__proto__', direction: -1 as const } }],
  { filters: toFilters('n||1 & $limit||5'), sort: { field: 'n', direction: -1 }, limit: 5, skip: 5, columns: ['n'] }
]

t.test('conditions as they are typed, as a query', async (t) => {
  isKept(
    t,
    {
      conditions: conditions.map((text) => [
        text,
        ...[false, true].map((canJoin) => {
          const { query: made, problems } = toConditions(toFilters(text), { query, canJoin })
          return [toPlain(made), ...problems]
        })
      ]),
      queries: selections.map((one) => {
        const place = { ...listOfService('a'), ...one }
        return [one, toPlain(toQuery(place, { query, canJoin: true }))]
      })
    },
    'test/explorer/whole-queries.txt'
  )
})
