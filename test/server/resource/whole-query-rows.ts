import type { JsonSchema } from 'fastify-services'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more }) as JsonSchema
const int = { type: 'integer' }
const text = { type: 'string' }

/** One field of each kind, in no order. */
export const record = object(
  {
    words: { type: 'array', items: text },
    text: { type: 'string', maxLength: 5, default: 'x' },
    int,
    number: { type: 'number', minimum: -10, maximum: 1000 },
    bool: { type: 'boolean' },
    maybe: { type: ['integer', 'null'] },
    maybeText: { type: ['string', 'null'] },
    maybeBool: { type: 'boolean', nullable: true },
    none: { type: 'null' },
    either: { type: ['integer', 'boolean'] },
    numberOrInt: { type: ['integer', 'number'] },
    textOrInt: { type: ['integer', 'string'] },
    anyOf: { anyOf: [{ type: 'integer', minimum: 5 }, { type: 'boolean' }] },
    oneOf: { oneOf: [{ $ref: '#/$defs/count' }, { type: 'null' }] },
    allOf: { allOf: [{ $ref: '#/$defs/count' }, { maximum: 9 }] },
    kind: { enum: ['a', 'b', 1, true, null, '1'] },
    fixed: { const: 7 },
    when: { type: 'string', format: 'date-time' },
    ref: { $ref: '#/$defs/count' },
    any: {},
    ints: { type: 'array', items: { $ref: '#/$defs/count' } },
    objects: { type: 'array', items: object({ a: int }) },
    lists: { type: 'array', items: { type: 'array', items: int } },
    anyList: { type: 'array' },
    object: object({ a: int }),
    objectOrInt: { anyOf: [object({ a: int }), int] },
    hidden: { type: 'string', writeOnly: true },
    set: { type: 'integer', readOnly: true, default: 1 },
    'odd/name~x': int
  },
  { $defs: { count: { type: 'integer', minimum: 0 } } }
)

const params = object(
  {
    near: object(
      { lat: { type: ['number', 'null'] }, on: { type: 'boolean' }, tags: { type: 'array', items: int } },
      { required: ['lat'] }
    ),
    q: { type: 'string', minLength: 1 },
    int: { type: 'boolean' },
    page: { $ref: '#/$defs/page' },
    list: { type: 'array', items: int, maxItems: 2 },
    none: { type: ['integer', 'null'] },
    tree: { $ref: '#/$defs/tree' }
  },
  { $defs: { page: int, tree: object({ tree: { $ref: '#/$defs/tree' }, n: int }) } }
)

const small = object({ b: int, a: text, c: object({ d: int }) })
const operators = {
  $like: { type: 'string', maxLength: 2 },
  $all: { type: 'array', items: text },
  $near: { type: ['integer', 'null'] },
  $ref: { type: 'object' },
  $gt: { type: 'string', maxLength: 1 },
  $lt: false,
  $nin: false,
  $none: false
} as const

/** Resources by name: their schema and their options. */
export const resources: Readonly<Record<string, readonly [schema: JsonSchema, options?: object]>> = {
  all: [record],
  more: [small, { query: params }],
  limits: [
    small,
    { query: object({ $limit: { type: 'integer', maximum: 2 }, $select: { type: 'array', items: { enum: ['b'] } } }) }
  ],
  few: [small, { filter: ['b'], sort: ['a'] }],
  none: [small, { filter: [], sort: [] }],
  own: [small, { operators }],
  noOperators: [
    object({ a: int }),
    {
      operators: Object.fromEntries(
        '$eq $ne $lt $le $lte $gt $ge $gte $in $nin'.split(' ').map((name) => [name, false])
      )
    }
  ],
  objects: [object({ c: object({ d: int }), e: { type: 'array', items: object({}) } })]
}

const values: Readonly<Record<string, string>> = {
  words: ' x 1',
  text: 'abcde abcdef null 1 ',
  int: '1 0 -1 -0 007 1.0 1. 1e3 +1 %201 9007199254740991 9007199254740992 -9007199254740992 x1 1x null true',
  number: '1 1.5 1. .5 . -.5 +1 1e2 1E2 1e+2 1e-2 1e 1.5.5 x1 1x 1e400 1001 -11 Infinity NaN 0x1 null',
  bool: 'true false TRUE 1 0 xtrue null',
  maybe: '1 null NULL nul x',
  maybeText: '1 null',
  maybeBool: 'true null x',
  none: 'null x',
  either: '1 true x 1.5',
  numberOrInt: '1 1.5 9007199254740992 x',
  textOrInt: '1 x',
  anyOf: '5 4 true x',
  oneOf: '0 -1 null x',
  allOf: '0 -1 9 10 x',
  kind: 'a b 1 true null c',
  fixed: '7 8',
  when: '2030-01-31T12:00:00Z 2030-01-31 x',
  ref: '0 -1 x',
  any: 'x 1 null',
  ints: '1 -1 x',
  lists: '1',
  anyList: '1 x',
  objects: '1',
  object: '1',
  objectOrInt: '1',
  hidden: 'x',
  set: '1 x',
  'odd/name~x': '1 x',
  other: '1',
  toString: '1',
  $where: '1',
  $limit: '0 1 2147483647 2147483648 9999999999 00000000001 0000000001 -1 1.5 +1 1e1 x1 1x null',
  $skip: '0 2147483648 x',
  $sort: '1 text',
  $select: 'text hidden set object odd/name~x x',
  $or: '1',
  $and: '1'
}

const single = Object.entries(values).flatMap(([name, texts]) => texts.split(' ').map((item) => `${name}=${item}`))
const names = '$eq $ne $lt $le $lte $gt $ge $gte $in $nin'.split(' ')
const deep = (depth: number, last: string) =>
  `$or[0]${Array.from({ length: depth - 1 }, (_, index) => (index % 2 === 0 ? '[$and][0]' : '[$or][0]')).join('')}${last}`

/** Queries of the resource `all`. */
export const queries: readonly string[] = [
  '',
  ...single,
  ...['int', 'text', 'bool', 'none', 'any', 'ints', 'either', 'kind', 'maybe'].flatMap((field) =>
    names.map((name) => `${field}[${name}]=1`)
  ),
  ...[
    'int[$in][]=1&int[$in][]=2',
    'int[$in][]=1&int[$in][]=x',
    'int[$in][0]=x',
    'int[$in][a]=1',
    'int[$nin]=1',
    'int[$in]='
  ],
  ...[
    'int[]=1',
    'int[0]=1&int[1]=2',
    'int[x]=1',
    'int[$foo]=1',
    'int[$gt][a]=1',
    'int[$gt]=1&int[$lt]=x',
    'int[$gt]=1&int[$x]=2'
  ],
  ...[
    'text[$gt]=a&text[$lt]=abcdef',
    'maybe[$in][]=1&maybe[$in][]=null',
    'kind[$in][]=null&kind[$in][]=c',
    'when[$lt]=x'
  ],
  ...[
    'words[$in][]=1&words[$in][]=2',
    'ints[$in][]=1&ints[$in][]=-1',
    'odd/name~x[$gt]=x',
    'object[a]=1',
    'objectOrInt[$eq]=1'
  ],
  ...['int=1&text=x&bool=true&other=1', 'other=1&int=x', 'int=x&other=1', 'hidden[$gt]=1', 'text[$like]=x'],
  ...[
    '$sort[text]=1',
    '$sort[int]=-1&$sort[text]=1',
    '$sort[text]=1&$sort[x]=1',
    '$sort[text]=0',
    '$sort[text]=',
    '$sort[]=text'
  ],
  ...[
    '$sort[words]=1',
    '$sort[any]=1',
    '$sort[hidden]=1',
    '$sort[object]=1',
    '$sort[text][a]=1',
    '$sort[either]=1',
    '$sort[set]=-1'
  ],
  ...[
    '$select[]=text&$select[]=int',
    '$select[]=text&$select[]=x',
    '$select[0]=int',
    '$select[1]=int',
    '$select[a]=int',
    '$select=text,int'
  ],
  ...[
    '$or[0][int]=1',
    '$or[0][int]=1&$or[1][bool]=true',
    '$or[0][int]=1&$or[1][bool]=x',
    '$or[]=1',
    '$or[0][int]=1&$or[1]=x'
  ],
  ...[
    '$or[a][int]=1',
    '$or[int]=1',
    '$or[1][int]=1',
    '$and[0][int][$gt]=1&$and[0][text]=a',
    '$and[0][other]=1',
    '$and[0][$sort][int]=1'
  ],
  ...[
    '$and[0][$limit]=1',
    '$and[0][$select]=int',
    '$or[0][$and][0][int]=x',
    '$or[0][$and][0][$or][0][odd/name~x]=x',
    '$or[0][int][]=1'
  ],
  ...[4, 5, 6, 7].map((depth) => deep(depth, '[int]=1')),
  ...['[bool]=x', '[$or]=1', '[$and]=1', '[$or][0]=1', '[odd/name~x]=x'].map((last) => deep(5, last)),
  `int[$in][]=${Array.from({ length: 25 }, (_, index) => index).join('&int[$in][]=')}`,
  `$or[]=${Array.from({ length: 25 }, () => 'x').join('&$or[]=')}`,
  `${'x'.repeat(100)}=1`,
  `${'x'.repeat(101)}=1`,
  'constructor=1',
  '__proto__=1',
  'int=1&int=2',
  'int'
]

/** Queries of other resources. */
export const others: Readonly<Record<string, readonly string[]>> = {
  more: [
    ...[
      'near[lat]=1.5',
      'near[lat]=null',
      'near[lat]=x',
      'near[on]=true',
      'near[lat]=1&near[on]=x',
      'near[lat]=1&near[x]=1',
      'near=1'
    ],
    ...[
      'near[lat]=1&near[tags]=1',
      'near[lat]=1&near[tags][]=1&near[tags][]=x',
      'near[]=1',
      'near[lat]=1&near[tags][b]=1',
      'q=1',
      'q='
    ],
    ...[
      'int=true',
      'int=1',
      'page=1',
      'page=x',
      'list=1',
      'list[]=1&list[]=2',
      'list[]=1&list[]=2&list[]=3',
      'list[a]=1',
      'none=null'
    ],
    ...[
      'tree[tree][tree][n]=1',
      'tree[tree][tree][n]=x',
      'tree[n]=1',
      'tree[x]=1',
      'b=1',
      'b=x',
      'c=1',
      'z=1',
      '$or[0][q]=1',
      '$or[0][b]=1'
    ],
    ...['q[$in]=1', 'q[]=1', '$select=q', '$sort[q]=1', 'page[$gt]=1']
  ],
  limits: ['$limit=2', '$limit=3', '$limit=x', '$skip=3', '$select=b', '$select=a', '$select[]=b'],
  few: ['b=1', 'a=1', '$sort[a]=1', '$sort[b]=1', '$select=b', '$or[0][a]=1', '$or[0][b]=1'],
  none: ['b=1', 'c=1', '$sort[a]=1', '$sort=1', '$select=b', '$or[0][a]=1', '$limit=1'],
  own: [
    ...[
      'a[$like]=ab',
      'a[$like]=abc',
      'b[$like]=1',
      'a[$all]=x',
      'a[$all][]=x&a[$all][]=y',
      'b[$all]=1',
      'b[$near]=1',
      'b[$near]=null'
    ],
    ...[
      'a[$near]=1',
      'a[$ref]=1',
      'b[$lt]=1',
      'a[$lt]=1',
      'a[$gt]=a',
      'a[$gt]=ab',
      'b[$gt]=1',
      'a[$nin]=1',
      'a[$none]=1',
      'a[$in]=1'
    ]
  ],
  noOperators: ['a=1', 'a[$eq]=1', 'a[]=1'],
  objects: ['c=1', 'c[d]=1', 'e=1', '$sort[c]=1', '$select=c', '$select=x', '$limit=1', 'x=1']
}

/** Queries that every method may get. */
export const ofMethods = [
  '',
  'b=1',
  'b=x',
  'b[$gt]=1',
  '$or[0][b]=1',
  '$and[0][b]=x',
  '$limit=1',
  '$skip=1',
  '$sort[a]=1',
  '$select=a',
  '$select=x',
  'q=1',
  'q=',
  'z=1'
]

const five = (last: unknown) => ({ $or: [{ $and: [{ $or: [{ $and: [{ $or: last }] }] }] }] })

/** Queries of the resource `all` from a parser of the host, whose values are of any type. */
export const typed: readonly object[] = [
  ...[1, 1.5, '1', true, null, [], {}, [1], { $in: [] }, { $in: {} }, { $in: [1, '2'] }, { $in: 1 }, { $gt: null }].map(
    (int) => ({ int })
  ),
  ...[1, null, '', ['a'], { a: 1 }, { $gt: [] }].map((text) => ({ text })),
  ...[true, 'true', 1, null].map((bool) => ({ bool })),
  ...[null, 'null', 1].flatMap((value) => [
    { maybe: value },
    { none: value },
    { kind: value },
    { any: value },
    { maybeText: value }
  ]),
  ...[0, 1, -1, 1.5, 2147483647, 2147483648, '5', true, null, [1], {}, '', -0].flatMap((item) => [
    { $limit: item },
    { $skip: item }
  ]),
  ...[1, -1, 0, 2, '1', '-1', '', null, true, [1], {}].map((text) => ({ $sort: { text } })),
  ...[{}, [], null, 'text', 1, ['text'], { text: 1, int: -1, x: 1 }].map(($sort) => ({ $sort })),
  ...[
    [],
    ['text'],
    ['text', 'x'],
    ['x', 'text'],
    {},
    { 0: 'text', 1: 'int' },
    { 1: 'text' },
    null,
    1,
    [1],
    [['text']]
  ].map(($select) => ({ $select })),
  ...[
    [],
    {},
    null,
    1,
    [1],
    [{}],
    [{}, 1],
    [1, {}],
    [[]],
    { 0: {} },
    { 0: { int: 1 }, 1: { int: 'x' } },
    { 1: {} },
    [null]
  ].flatMap((part) => [{ $or: part }, { $and: part }]),
  five([{ int: 1 }]),
  five([{ int: 'x' }]),
  five([]),
  five([{ $or: [{}] }]),
  five([{ $and: [{ int: 'x' }] }]),
  { $or: [{ int: 1 }, { $and: [{ bool: 'true' }, { maybe: 'null' }] }], int: { $gt: '1', $lt: 2 } }
]
