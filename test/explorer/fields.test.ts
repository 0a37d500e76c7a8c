import t from 'tap'
import { createFollow, type Field, fieldsOf, toField } from '../../lib/explorer/model/schema.js'

const document = {
  components: { schemas: { 'a/b~c': { type: 'integer' }, Self: { $ref: '#/components/schemas/Self' } } }
}
const follow = createFollow(document)
const nothing = {
  kind: 'json',
  choices: [],
  isRequired: false,
  isNullable: false,
  isLong: false,
  isMany: false,
  isSecret: false,
  description: undefined
}
const text = { ...nothing, kind: 'text' }
const file = { type: 'string', format: 'binary' }

const rows: readonly (readonly [schema: object, field: Omit<Field, 'name'> | object])[] = [
  [{}, nothing],
  [
    { type: 'string', description: 'A title' },
    { ...text, description: 'A title' }
  ],
  [{ type: 'number' }, { ...nothing, kind: 'number' }],
  [{ type: 'integer' }, { ...nothing, kind: 'number' }],
  [{ type: 'boolean' }, { ...nothing, kind: 'boolean' }],
  [{ type: 'object' }, nothing],
  [{ type: ['string', 'integer'] }, nothing],
  [{ type: ['string', 'null'] }, { ...text, isNullable: true }],
  [{ type: ['string', 'integer', 'null'] }, { ...nothing, isNullable: true }],
  [{ type: 'string', maxLength: 300 }, text],
  [
    { type: 'string', maxLength: 301 },
    { ...text, isLong: true }
  ],
  [
    { type: 'integer', maxLength: 301 },
    { ...nothing, kind: 'number' }
  ],
  [
    { type: 'string', format: 'password', maxLength: 1024 },
    { ...text, isSecret: true }
  ],
  [
    { type: 'string', writeOnly: true },
    { ...text, isSecret: true }
  ],
  [{ type: 'string', writeOnly: false, format: 'email' }, text],
  [
    { type: 'integer', writeOnly: true },
    { ...nothing, kind: 'number' }
  ],
  [file, { ...nothing, kind: 'file' }],
  [
    { type: 'array', items: file },
    { ...nothing, kind: 'file', isMany: true }
  ],
  [{ type: 'array', items: { type: 'string' } }, nothing],
  [{ enum: ['a', 1] }, { ...nothing, kind: 'choice', choices: ['a', 1] }],
  [{ type: 'string', enum: [] }, text],
  [{ enum: ['a', null] }, { ...nothing, kind: 'choice', choices: ['a'], isNullable: true }],
  [{ const: 'a' }, { ...nothing, kind: 'choice', choices: ['a'] }],
  [{ const: null }, { ...nothing, isNullable: true }],
  ...['anyOf', 'oneOf'].flatMap((union): [object, object][] => [
    [{ [union]: [{ const: 'a' }, { enum: ['b', 'c'] }] }, { ...nothing, kind: 'choice', choices: ['a', 'b', 'c'] }],
    [{ [union]: [{ const: 'a' }, { type: 'string' }] }, nothing],
    [{ [union]: [{ type: 'string' }, { type: 'null' }] }, { ...text, isNullable: true }],
    [
      { [union]: [{ $ref: '#/components/schemas/a~1b~0c' }, { const: null }] },
      { ...nothing, kind: 'number', isNullable: true }
    ],
    [{ [union]: [{ type: 'string' }, { type: 'integer' }] }, nothing]
  ]),
  [{ $ref: '#/components/schemas/a~1b~0c' }, { ...nothing, kind: 'number' }],
  [{ $ref: '#/components/schemas/Self' }, nothing],
  [{ $ref: '#/nowhere' }, nothing]
]

for (const [schema, field] of rows)
  t.test(`the field of ${JSON.stringify(schema)}`, async (t) => {
    t.strictSame(toField('a', schema, follow), { name: 'a', ...field })
  })

t.test('the fields of what a schema is made of, each once, the last one of a name', async (t) => {
  const part: Record<string, unknown> = {
    required: ['b'],
    properties: { a: { type: 'integer' }, b: { type: 'string' } }
  }
  part.allOf = [part]
  const fields = fieldsOf({ allOf: [part], required: ['c'], properties: { a: { type: 'string' }, c: {} } }, follow)
  t.strictSame(
    fields.map(({ name, kind, isRequired }) => [name, kind, isRequired]),
    [
      ['a', 'number', false],
      ['c', 'json', true],
      ['b', 'text', true]
    ]
  )
})
