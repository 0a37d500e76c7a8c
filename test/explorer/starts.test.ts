import t from 'tap'
import { startOf } from '../../lib/explorer/model/place.js'
import type { ExploredService, Operation } from '../../lib/explorer/model/services.js'

/** A service of the named methods, those with a star of a record. */
const serviceOf = (...names: string[]) =>
  ({
    path: 'notes',
    operations: new Map(
      names.map((name) => [
        name.replace('*', ''),
        { name: name.replace('*', ''), hasId: name.endsWith('*') } as Operation
      ])
    )
  }) as unknown as ExploredService

t.test('a service begins with its list, or the first method that needs no record', async (t) => {
  for (const [names, call] of [
    [['get*', 'create', 'find'], 'find'],
    [['get*', 'create', 'totals'], 'create'],
    [['get*'], 'find']
  ] as const)
    t.match(startOf(serviceOf(...names)), { service: 'notes', call, id: undefined, skip: 0 }, call)
})
