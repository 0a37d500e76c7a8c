const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const int = { type: 'integer' }
const text = { type: 'string' }

/** A field for each rule that a schema may have, and values for it. */
export const fields: Readonly<Record<string, readonly [schema: unknown, ...values: unknown[]]>> = {
  ...Object.fromEntries(
    ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'].map((type) => [
      type,
      [{ type }, 'x', 1, 1.5, true, { a: 1 }, [1], null]
    ])
  ),
  types: [{ type: ['string', 'null', 'boolean'] }, 'x', null, 1],
  minimum: [{ type: 'number', minimum: 1.5 }, 1, 1.5, 'x'],
  maximum: [{ type: 'number', maximum: 0 }, 0, 1],
  exclusiveMinimum: [{ type: 'number', exclusiveMinimum: 1 }, 1, 1.1],
  exclusiveMaximum: [{ type: 'number', exclusiveMaximum: 1 }, 1, 0.9],
  multipleOf: [{ type: 'number', multipleOf: 5 }, 5, 6],
  ...Object.fromEntries(
    [0, 1, 2].flatMap((limit) => [
      [`minLength${limit}`, [{ type: 'string', minLength: limit }, '', 'x', 'xx']],
      [`maxLength${limit}`, [{ type: 'string', maxLength: limit }, '', 'x', 'xx', 'xxx']],
      [`minItems${limit}`, [{ type: 'array', minItems: limit }, [], [1], [1, 2]]],
      [`maxItems${limit}`, [{ type: 'array', maxItems: limit }, [], [1], [1, 2], [1, 2, 3]]],
      [`minProperties${limit}`, [{ type: 'object', minProperties: limit }, {}, { a: 1 }, { a: 1, b: 2 }]],
      [
        `maxProperties${limit}`,
        [{ type: 'object', maxProperties: limit }, {}, { a: 1 }, { a: 1, b: 2 }, { a: 1, b: 2, c: 3 }]
      ]
    ])
  ),
  uniqueItems: [{ type: 'array', uniqueItems: true }, [1, 2], [1, 1]],
  contains: [{ type: 'array', contains: { const: 1 } }, [1], [2]],
  ...Object.fromEntries(
    'date-time date time email uri uuid ipv4 ipv6 hostname duration'
      .split(' ')
      .map((format) => [format, [{ type: 'string', format }, 'x y', 1]])
  ),
  pattern: [{ type: 'string', pattern: '^a+$' }, 'a', 'b'],
  patternOfFormat: [{ type: 'string', format: 'email', pattern: '^a' }, 'a@b.ch', 'b@b.ch'],
  patternOfOther: [{ type: 'string', format: 'hostname', pattern: '^a' }, 'b'],
  enum: [{ enum: ['a', 1, null, true] }, 'a', null, 'b', false],
  enumOfOne: [{ enum: ['a'] }, 'b'],
  enumOfTypes: [{ enum: ['string', 'null'] }, 'b'],
  const: [{ const: 'a' }, 'a', 'b'],
  not: [{ not: { type: 'string' } }, 1, 'x'],
  never: [false, 1],
  always: [true, 1, { a: [] }],
  anyOf: [
    {
      anyOf: [
        { type: 'string', minLength: 2 },
        { type: 'integer', minimum: 5 }
      ]
    },
    'xx',
    'x',
    5,
    4,
    true
  ],
  anyOfSame: [
    {
      anyOf: [
        { type: 'string', minLength: 3 },
        { type: 'string', pattern: '^x$' }
      ]
    },
    'x',
    'y',
    1
  ],
  oneOf: [{ oneOf: [{ type: 'integer' }, { type: 'number', minimum: 5 }] }, 1, 5, 'x', 1.5],
  anyOfNothing: [{ anyOf: [{ not: {} }, { not: {} }] }, 1],
  anyOfRequired: [{ anyOf: [{ required: ['b'] }, { required: ['c'] }] }, {}, { c: 1 }, 1],
  anyOfRef: [{ anyOf: [{ $ref: '#/$defs/int' }, { type: 'boolean' }] }, 1, 'x'],
  anyOfRefs: [{ anyOf: [{ $ref: '#/$defs/int' }, { $ref: '#/$defs/text' }] }, 1, true],
  anyOfEnums: [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'boolean' }] }, 'a', 'c'],
  anyOfConsts: [{ anyOf: [{ const: 'a' }, { const: 'b' }, { type: 'null' }] }, 'a', null, 'c'],
  anyOfObjects: [
    {
      anyOf: [
        object({ kind: { const: 'a' }, a: int }, { required: ['kind'] }),
        object({ kind: { const: 'b' }, b: int }, { required: ['kind'] })
      ]
    },
    ...[{ kind: 'a', a: 1 }, { kind: 'b', b: 'x' }, { kind: 'c' }, {}, { kind: 'a', b: 1 }, 1]
  ],
  anyOfObjectOrInt: [
    { anyOf: [object({ a: object({ b: int }) }), int] },
    { a: { b: 1 } },
    { a: { b: 'x' } },
    { a: 1 },
    { c: 1 },
    'x'
  ],
  anyOfLists: [{ anyOf: [{ type: 'array', items: int }, int] }, [1], ['x'], 'x'],
  twice: [{ anyOf: [{ type: 'string' }, { type: 'string', maxLength: 0 }, { type: 'null' }] }, 1],
  ifElse: [{ if: { const: 1 }, else: { type: 'string' } }, 1, 2],
  propertyNames: [{ type: 'object', propertyNames: { pattern: '^a' } }, { a: 1 }, { b: 1 }],
  dependent: [{ type: 'object', additionalProperties: true, dependencies: { a: ['b'] } }, { a: 1 }, { b: 1 }],
  patterns: [
    { type: 'object', patternProperties: { '^a': int }, properties: { b: text } },
    { ab: 1, b: 'x' },
    { ab: 'x' },
    { c: 1 }
  ],
  deep: [
    object({ list: { type: 'array', items: object({ a: int, 'b/c~d.e': text, 0: int }, { required: ['a'] }) } }),
    { list: [] },
    { list: [{ a: 1 }] }
  ],
  deepWrong: [
    object({ list: { type: 'array', items: object({ a: int, 'b/c~d.e': text, '0': int }, { required: ['a'] }) } }),
    ...[
      { list: [{ a: 1 }, {}] },
      { list: [{ a: 1, 'b/c~d.e': 1 }] },
      { list: [{ a: 1, 0: 'x' }] },
      { list: [{ a: 1, 'x/y~z': 1 }] },
      { list: [1] }
    ]
  ],
  open: [object({ a: int }, { additionalProperties: true }), { a: 1, b: 2 }, { a: 'x' }],
  openOf: [object({ a: int }, { additionalProperties: { type: 'boolean' } }), { a: 1, b: true }, { b: 1 }],
  closed: [
    object({ a: int }),
    { b: 1 },
    { ['k'.repeat(90)]: 1 },
    { ['k'.repeat(93)]: 1 },
    { ['k'.repeat(94)]: 1 },
    { ['k'.repeat(101)]: 1 }
  ],
  nullable: [{ type: 'string', nullable: true, maxLength: 1 }, null, 'x', 'xx', 1],
  nullableEnum: [{ type: 'string', enum: ['a'], nullable: true }, null, 'a', 'b'],
  allOf: [
    { allOf: [object({ a: int }, { required: ['a'] }), object({ b: int })] },
    { a: 1, b: 2 },
    { b: 2 },
    { a: 1, c: 1 }
  ]
}

const all = object(Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema])), {
  $defs: { int, text }
})
const inner = object(
  { a: text, set: { ...int, readOnly: true }, size: { ...int, default: 3 } },
  { required: ['a', 'set'] }
)
const flagged = object(
  {
    id: { ...int, readOnly: true },
    at: { type: 'string', format: 'date', readOnly: true },
    name: text,
    size: { ...int, default: 1 },
    none: { type: ['integer', 'null'], default: null },
    inner,
    list: { type: 'array', items: { $ref: '#/$defs/inner' } },
    secret: { type: 'string', writeOnly: true }
  },
  { required: ['id', 'at', 'name'], $defs: { inner } }
)
const part = object({ a: { ...int, default: 1 }, b: { ...text, default: 'x' }, id: int }, { required: ['b'] })

/** Resources by name, but for those of libraries. */
export const resources: Readonly<Record<string, readonly [schema: object, options?: object]>> = {
  all: [all],
  flagged: [flagged],
  open: [{ ...flagged, additionalProperties: true }, { readOnly: ['name'] }],
  own: [flagged, { create: part }],
  ownUpdate: [flagged, { update: part }],
  ownPatch: [flagged, { patch: part }],
  ownAll: [flagged, { create: object({ c: int }), update: object({ u: int }), patch: object({ p: int }) }],
  empty: [object({})]
}

const bodies: readonly unknown[] = [
  ...[
    { name: 'x' },
    { name: 'x', size: 2 },
    { name: 'x', none: 1 },
    { name: 1 },
    {},
    { id: 1, name: 'x' },
    { at: 1, id: 1 },
    { x: 1, id: 1 }
  ],
  ...[
    { name: 'x', inner: { a: 'x' } },
    { name: 'x', inner: { a: 'x', set: 1 } },
    { name: 'x', inner: {} },
    { name: 'x', list: [{ a: 'x', size: 1 }] }
  ],
  ...[
    { name: 'x', list: [{ a: 'x' }, { a: 'x', set: 1 }] },
    { name: 'x', list: [{ a: 'x' }, {}] },
    { name: 'x', secret: 'x' },
    { size: 'x' }
  ],
  ...[
    { b: 'x' },
    { a: 2, b: 'y' },
    { b: 'x', id: 1 },
    { a: 1 },
    { c: 1 },
    { u: 1 },
    { p: 1 },
    { b: 'x', at: '2030-01-31' }
  ],
  ...[
    [],
    [{ name: 'x' }],
    [{ name: 'x' }, {}],
    [{}, { name: 'x' }],
    [{ name: 'x' }, { id: 1 }],
    [[{ name: 'x' }]],
    [1],
    [null],
    [{ name: 'x' }, 'x']
  ],
  ...[null, 1, 'x', true, '', undefined]
]

export const rows: readonly (readonly [resource: string, bodies: readonly unknown[]])[] = [
  ['flagged', bodies],
  ...['open', 'own', 'ownUpdate', 'ownPatch', 'ownAll', 'empty'].map((name) => [name, bodies.slice(0, 24)] as const)
]

/** Forms of the resource `forms`, as text. */
export const formSchema = object(
  {
    int,
    number: { type: 'number' },
    bool: { type: 'boolean' },
    text,
    maybe: { type: ['integer', 'null'] },
    maybeText: { type: ['string', 'null'] },
    kind: { enum: ['a', 1, null] },
    ints: { type: 'array', items: int },
    any: {},
    list: { type: 'array' },
    inner: object({
      maybe: { type: ['boolean', 'null'] },
      ints: { type: 'array', items: { type: ['integer', 'null'] } },
      deep: object({ n: int })
    }),
    ref: { $ref: '#/$defs/node' },
    union: { anyOf: [int, { type: 'boolean' }] },
    open: { type: 'object', additionalProperties: true }
  },
  { $defs: { node: object({ n: int, node: { $ref: '#/$defs/node' } }) } }
)
export const forms: readonly string[] = [
  ...[
    'int=1',
    'int=x',
    'int=',
    'number=1.5',
    'bool=false',
    'text=1',
    'maybe=null',
    'maybe=1',
    'maybeText=null',
    'kind=null',
    'kind=1',
    'kind=b'
  ],
  ...[
    'ints=1',
    'ints[]=1&ints[]=2',
    'ints[]=1&ints[]=x',
    'ints[0]=1',
    'ints[1]=1',
    'ints[a]=1',
    'any=1',
    'any[a]=1',
    'list=x',
    'list[]=1'
  ],
  ...[
    'inner[maybe]=true',
    'inner[maybe]=null',
    'inner[ints]=1',
    'inner[ints][]=1&inner[ints][]=null',
    'inner[deep][n]=1',
    'inner[deep][n]=x'
  ],
  ...[
    'inner=1',
    'inner[x]=1',
    'ref[n]=1',
    'ref[node][node][n]=1',
    'ref[node][n]=x',
    'union=1',
    'union=true',
    'union=x',
    'open[a]=1',
    'x=1',
    ''
  ],
  `ints[]=${Array.from({ length: 30 }, (_, index) => index).join('&ints[]=')}`
]
