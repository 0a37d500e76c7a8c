import t from 'tap'
import { isKept } from '../support/kept.js'
import { json, mark, object, readAll, text } from './documents.js'
import { resultOf, toPlain } from './plain.js'

const odd = [undefined, null, true, 7, 'text', [], [[]], [null], {}, { a: 1 }, { $ref: '#/a' }, { $ref: 7 }]

const post = { $ref: '#/components/schemas/Post' }
const page = (data: unknown) => ({ properties: { total: {}, limit: {}, skip: {}, data } })
const pageWithout = (name: string) =>
  json({ properties: { ...page({ type: 'array', items: post }).properties, [name]: undefined } })
const nested = (key: string, depth: number): object =>
  depth === 0 ? object('deep') : { [key]: [nested(key, depth - 1)] }
const listed = (depth: number): object => (depth === 0 ? object('deep') : { type: 'array', items: listed(depth - 1) })
const components = {
  schemas: { Post: object('b', 'a'), Loop: { oneOf: [{ $ref: '#/components/schemas/Loop' }] } },
  parameters: {
    q: { in: 'query', name: 'q', schema: text },
    sort: { in: 'query', name: '$sort', schema: object('z', 'y') }
  },
  requestBodies: { Body: json(object('ofBody')) },
  responses: { Answer: json(object('ofAnswer')) }
}

// biome-ignore format: a table
const bodies: unknown[] = [
  ...[
    json(post), json(object()), json({ oneOf: [object('a'), object('b')] }), json({ anyOf: [object('a')], oneOf: [object('b')] }),
    json({ oneOf: [] })
  ],
  ...[
    json({ oneOf: [object('a'), { type: 'array', items: object('a') }] }), json({ oneOf: [post, text, 7] }),
    json({ allOf: [post, object('c')] })
  ],
  ...[1, 3, 4, 5].flatMap((depth) => [json(nested('oneOf', depth)), json(nested('anyOf', depth))]),
  ...[
    json(object('f'), 'multipart/form-data'), json(object('f'), 'Multipart/form-data'),
    { content: { ...json(object('a')).content, ...json(object('b'), 'multipart/form-data').content } }
  ],
  ...[
    { content: { ...json(object('b'), 'multipart/form-data').content, ...json(object('a')).content } },
    { $ref: '#/components/requestBodies/Body' }
  ],
  ...[json({ $ref: '#/components/schemas/Loop' }), { content: [] }, { content: { 'multipart/form-data': null } }]
]
// biome-ignore format: a table
const responses: unknown[] = [
  ...[
    json(post), json({ type: 'array', items: post }), json(page({ type: 'array', items: post })), json(page({})), json(page(7)),
    json({ anyOf: [{ type: 'array', items: post }, page({})] })
  ],
  ...['total', 'limit', 'skip', 'data'].map(pageWithout),
  ...[
    json({ oneOf: [object(), object('c'), object('d')] }), json({ anyOf: [object('a')], oneOf: [object('b')] }),
    json({ oneOf: [text], properties: { own: text } })
  ],
  ...[
    json({ items: object('i'), properties: { own: text } }), json({ items: {}, properties: { own: text } }),
    json({ anyOf: [object('x')], items: object('y') })
  ],
  ...[1, 3, 4, 5].flatMap((depth) => [json(nested('oneOf', depth)), json(nested('anyOf', depth)), json(listed(depth))]),
  ...[
    { content: { 'image/png': { schema: text }, ...json(post).content } }, json({ $ref: '#/components/schemas/Loop' }),
    { $ref: '#/components/responses/Answer' }
  ]
].map((value) => ({ 200: value }))
const statuses = [
  ...[
    { 404: json(object('no')), 201: json(object('first')), 200: json(object('second')) },
    { default: json(object('any')) },
    { '2XX': json(object('all')) }
  ],
  ...[{ 300: json(object('no')) }, { 204: {}, 299: json(object('later')) }, { 12: json(object('no')) }]
]
// biome-ignore format: a table
const parameters: unknown[] = [
  ...['$sort', '$select', '$and', '$or', '$limit'].map((name) => [{ in: 'query', name, schema: object('b', 'a') }]),
  ...[undefined, {}, object(), { additionalProperties: {} }, 7].map((schema) => [{ in: 'query', name: '$sort', schema }]),
  [{ in: 'path', name: '$select' }, { in: 'header', name: '$and' }, { in: 'Query', name: 'a' }, { name: 'b' }],
  [{ $ref: '#/components/parameters/sort' }, { $ref: '#/components/parameters/q' }, { $ref: '#/nowhere' }],
  [
    { in: 'query', name: 'b', schema: text }, { in: 'query', name: 'a[$in]', schema: text },
    { in: 'query', name: '$sort', schema: object('x') }, { in: 'query', name: '$sort', schema: object('y') }
  ]
]
const find = (rest: object) => ({ components, paths: { '/posts': { get: { ...mark('find', 'GET /'), ...rest } } } })

// biome-ignore format: a table
const urls: readonly (readonly [url: string, route?: unknown])[] = [
  ...[
    '/posts', 'posts', '//posts//', '/', '', '/a/{b}/posts', '/a/{b-c}', '/{a}', '/a{b}c/:d', '/:a:b/x:y'
  ].map((url) => [url, 'GET /'] as const),
  ...(
    [
      ['/posts/{id}', 'GET /:id'], ['/posts/{id}/share/{place}/{id2}', 'POST /:id/share/:place/:id2'], ['/posts', 'POST /:id/share'],
      ['/posts/all/stats', 'GET /all/stats']
    ] as const
  ),
  ...(
    [
      ['/posts/a', 'GET //a/'], ['/posts/a', 'GET'], ['/posts/a', ''], ['/posts/a', 7], ['/posts', undefined],
      ['/posts/{x}/a', 'GET /:x-y/a'], ['/posts/a', 'POST /:idx']
    ] as const
  )
]
// biome-ignore format: a table
const marks: unknown[] = [
  ...odd.flatMap(
    (item) => [
      { path: item, method: 'find' }, { path: 'posts', method: item }
    ]
  ),
  ...[
    'find', 'get', 'create', 'update', 'patch', 'remove', 'publish', 'Find', '__proto__', ''
  ].map((method) => ({ path: 'posts', method, id: '_id' }))
]

type Read = readonly (readonly [path: string, service: object, ...(readonly [name: string, ...parts: object[]])[]])[]
const toMembers = (service: object, ...parts: object[]): [string, unknown][] =>
  // A service and its operation both have a description.
  [
    ...Object.entries(service).map(([key, value]): [string, unknown] => [key === 'description' ? 'says' : key, value]),
    ...Object.entries(Object.assign({}, ...parts))
  ]
const bareMembers = (readAll(find({})) as unknown as Read).flatMap(([, service, [, ...parts] = ['']]) =>
  toMembers(service, ...parts)
)
const isBare = ([key, value]: [string, unknown]) =>
  bareMembers.some((bare) => JSON.stringify(bare) === JSON.stringify([key, value]))

/** What is read of a document otherwise than of one that says no more than where `find` is. */
function readOtherwise(document: unknown) {
  return (readAll(document) as unknown as Read).map(([, service, ...operations]) => {
    const parts = operations.flatMap(([, ...parts]) => parts)
    return Object.fromEntries(toMembers(service, ...parts).filter((member) => !isBare(member)))
  })
}

t.test('operations of a document, whatever it holds', async (t) => {
  const of = (operation: unknown, url = '/posts') =>
    resultOf(() => readOtherwise({ components, paths: { [url]: { any: operation } } }))
  const all = (list: readonly unknown[], make: (part: unknown) => object) =>
    Promise.all(list.map(async (item) => [toPlain(item), ...[await resultOf(() => readOtherwise(make(item)))].flat()]))
  const tag = (description: unknown, name: unknown = 'posts') => ({ name, description })
  // biome-ignore format: a table
  const tags = [
    [tag('One'), tag('Two')], [tag('No', 'post'), tag('Yes')], [tag('The service at `/posts`.')],
    [tag('The service at `/posts`')], [tag(7)], [null, tag('x', 7), tag('Last')]
  ]
  const words = [undefined, null, 7, 'text', [], {}].flatMap((value) => [
    { summary: value },
    { description: value },
    { security: value },
    { 'x-service-methods': value }
  ])
  isKept(
    t,
    {
      urls: await Promise.all(
        urls.map(async ([url, route]) => [url, toPlain(route), await of(mark('find', route), url)].flat())
      ),
      marks: await Promise.all(marks.map(async (input) => [toPlain(input), await of({ 'x-service': input })])),
      tags: await all(tags, (input) => ({ ...find({}), tags: input })),
      words: await all(
        [...words, { summary: 'S', description: 'D', security: [{}], requestBody: undefined }],
        (input) => find(input as object)
      ),
      parameters: await all(parameters, (input) => find({ parameters: input })),
      bodies: await all(bodies, (input) => find({ requestBody: input })),
      responses: await all([...responses, ...statuses], (input) => find({ responses: input }))
    },
    'test/explorer/whole-documents.txt'
  )
})
