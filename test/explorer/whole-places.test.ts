import t from 'tap'
import { fromHash, listOfService, type Place, startOf, toHash } from '../../lib/explorer/model/place.js'
import type { ExploredService, Operation } from '../../lib/explorer/model/services.js'
import { isKept } from '../support/kept.js'
import { resultOf, toFilters, toPlain } from './plain.js'

// biome-ignore format: a table
const parts: Partial<Place>[] = [
  ...[{}, { service: '' }, { service: 'a/:b/c d' }, { service: 'é?#%&=+ \ud800' }, { service: '__proto__' }, { service: 'a\ud800b\udc00' }, { service: 'a//b' }],
  ...['find', 'get', '', 'a b', '__proto__'].map((call) => ({ call })),
  ...['', '1', 'a&b=c', undefined, '\u202e'].map((id) => ({ id })),
  ...[new Map([['b', '1'], ['a', '']]), new Map([['a b', '&']]), new Map([['', 'x']])].map((route) => ({ route })),
  ...['n||5', 'n|$gt|', 'a.b|$in|1,2', '||', 'a||b & a||b', '.|.|.', '\n||\n', 'a|b.c|d'].map((text) => ({ filters: toFilters(text) })),
  ...[1, -1].flatMap((direction) => ['a', '', 'a b'].map((field) => ({ sort: { field, direction: direction as 1 | -1 } }))),
  ...[0, 1, 999_999_999, 1_000_000_000, 1.5, -1].flatMap((count) => [{ limit: count }, { skip: count }]),
  ...[['a'], ['b', 'a', 'a'], ['']].map((columns) => ({ columns })),
  {
    ...{ call: 'share', id: '7', route: new Map([['a', 'b']]), filters: toFilters('n|$gt|5 & m||x'), sort: { field: 'n', direction: -1 } },
    ...{ limit: 10, skip: 20, columns: ['n', 'm'] }
  }
]
// biome-ignore format: a table
const hashes = [
  ...[
    '', '#', '#/', '/a', 'a', '#a', '##/a', 'x#/a', '#/a?', '#/a??', '#/a?b?c=1', '#/%', '#/%41/b', '#/a%2Fb', '#/a\nb?call=c\nd', '#//',
    '#/?id=1', '#/a#/b', '#/%E0%A4%A'
  ],
  ...[
    'call=', 'call=a&call=b', 'id', 'id=', 'id=1&id=2', 'ID=1', ':a=1&:b=2&:a=3', ':=1', 'a:=1', '.a.=1', '.a=1', '..=1', '.a.b.$gt=1',
    'x.a.=1', '.a\n.=1', '.a.&.b.$in=%2C'
  ],
  ...[
    'asc=a', 'desc=a', 'asc=a&desc=b', 'asc=&desc=b', 'asc=&desc=', 'asc=a&asc=b', 'limit=0', 'limit=', 'limit=5', 'limit=+5',
    'limit=5.5', 'limit=-5', 'limit=999999999', 'limit=1000000000'
  ],
  ...[
    'limit=05', 'limit=5x', 'limit=x5', 'limit=5%0A', 'skip=0', 'skip=x', 'skip=7', 'skip=1000000000', 'column=a&column=b&column=a',
    'column=', '__proto__=1', '%GG=%', 'a=+b%20', 'call=%F0%9F%98%80'
  ].map((one) => one)
].map((one, index) => (index < 19 ? one : `#/a?${one}`))
// biome-ignore format: a table
const methods: [name: string, hasId: boolean][][] = [
  ...(
    [
      [], [['find', false]], [['get', true]], [['create', false], ['find', false]], [['get', true], ['stats', false], ['create', false]]
    ] as [string, boolean][][]
  ),
  [['find', true]]
]

/** What a place says otherwise than the list of a service. */
function otherwise(place: Place | undefined) {
  const list = Object(toPlain(listOfService('')))
  const members = Object.entries(Object(toPlain(place)))
  return (
    place && Object.fromEntries(members.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(list[name])))
  )
}

t.test('places in the address of the page', async (t) => {
  const start = (names: [string, boolean][]) => {
    const operations = new Map(names.map(([name, hasId]) => [name, { name, hasId } as Operation]))
    return startOf({ path: 'a/b', operations } as unknown as ExploredService)
  }
  const places = parts.map((part) => {
    const hash = toHash({ ...listOfService('posts'), ...part })
    const back = fromHash(hash)
    const again = back && toHash(back)
    return [toPlain(part), hash, ...(again === hash ? [] : [`read: ${again}`])]
  })
  isKept(
    t,
    {
      places,
      hashes: await Promise.all(hashes.map(async (hash) => [hash, await resultOf(() => otherwise(fromHash(hash)))])),
      starts: methods.map((names) => [names, toPlain(otherwise(start(names)))])
    },
    'test/explorer/whole-places.txt'
  )
})
