/** A request for `/posts`, whose answer is the same whatever library has described a post. */
export type Row = readonly [method: string, url: string, body: unknown, answer: unknown]

const post = { title: 'A', rating: 1, status: 'draft' }
const first = {
  id: 1,
  title: 'Ada',
  rating: 4.5,
  status: 'draft',
  views: 10,
  published: true,
  tags: ['x', 'y'],
  parent: null
}
const second = { id: 2, title: 'Bob', rating: 3, status: 'final', views: 20, published: false, note: 'n', code: '7' }
const third = { id: 3, title: 'null', rating: 0, status: 'draft', views: 30, parent: 1, at: '2030-01-01T00:00:00Z' }

/** What is stored before each request. */
export const stored = [{ ...first, secret: 's', other: 1 }, second, third]

const ids = (...ids: number[]) => ids.map((id) => ({ id }))
const find = (query: string, ...records: number[]): Row => ['GET', `?${query}&$select[]=id`, undefined, ids(...records)]

/** 30 that are answered, and with what. */
export const valid: readonly Row[] = [
  ['GET', '', undefined, [first, second, third]],
  ['GET', '/1', undefined, first],
  ['GET', '/2?$select=title', undefined, { id: 2, title: 'Bob' }],
  find('title=Ada', 1),
  find('views=20', 2),
  find('published=true', 1),
  find('rating=4.5', 1),
  find('rating[$gt]=2.5&rating[$lt]=4', 2),
  find('views[$gte]=20', 2, 3),
  find('views[$le]=20', 1, 2),
  find('views[$ne]=20', 1, 3),
  find('id[$in][]=1&id[$in][]=3', 1, 3),
  find('id[$in]=2', 2),
  find('id[$nin]=1&id[$nin]=2', 3),
  find('$or[0][views]=10&$or[1][published]=false', 1, 2),
  find('$and[0][views][$gt]=10&$and[1][views][$lt]=30', 2),
  find('$or[0][id]=3&$or[1][$or][0][id]=1&$or[1][$or][1][views]=10', 1, 3),
  find('title=null', 3),
  find('parent[$ne]=null&parent[$in]=1', 3),
  find('status[$in]=final', 2),
  find('tags=x', 1),
  find('at=2030-01-01T00:00:00Z', 3),
  find('$sort[views]=-1', 3, 2, 1),
  find('$limit=1&$skip=1', 2),
  find(Array.from({ length: 30 }, (_, index) => `id[$in][]=${index + 3}`).join('&'), 3),
  ['POST', '', post, { id: 4, ...post }],
  [
    'POST',
    '',
    [
      { ...post, note: null },
      { ...post, code: 7 }
    ],
    [
      { id: 4, ...post, note: null },
      { id: 5, ...post, code: 7 }
    ]
  ],
  ['PATCH', '/1', { address: { city: 'Bern', zip: 3000 } }, { ...first, address: { city: 'Bern', zip: 3000 } }],
  ['PUT', '/2', { ...post, secret: 'x' }, { id: 2, ...post }],
  ['DELETE', '/3', undefined, third]
]

const by = 'a query filters by at, body, code, email, id, note, parent, published, rating, status, tags, title, views'
const operators = '$eq, $ge, $gt, $gte, $in, $le, $lt, $lte, $ne, $nin'
const refused = (query: string, message: string): Row => ['GET', `?${query}`, undefined, message]
const create = (change: object, message: string): Row => ['POST', '', { ...post, ...change }, message]
const deep = `$or[0]${'[$or][0]'.repeat(5)}`

/** 60 that are refused, and with which message. */
export const invalid: readonly Row[] = [
  refused('titel=Ada', `titel is not known: ${by}`),
  refused('secret=s', `secret is not known: ${by}`),
  refused('address[city]=Bern', `address is not known: ${by}`),
  refused('other=1', `other is not known: ${by}`),
  refused('$where=1', `$where is not known: ${by}`),
  refused('address.city=Bern', `address.city is not known: ${by}`),
  refused('id=x', 'id must be an integer'),
  refused('id=1.5', 'id must be an integer'),
  refused('id=', 'id must be an integer'),
  refused('id=1e3', 'id must be an integer'),
  refused('id=0x1', 'id must be an integer'),
  refused('id=99999999999999999999', 'id must be an integer'),
  refused('id[]=1&id[]=2', 'id must be one value: $in takes several'),
  refused('id[$gt]=x', 'id[$gt] must be an integer'),
  refused('id[$in][]=1&id[$in][]=x', 'id[$in][1] must be an integer'),
  refused('id[$foo]=1', `id[$foo] is not known: there are ${operators}`),
  refused('id[$regex]=1', `id[$regex] is not known: there are ${operators}`),
  refused('id[x]=1', `id[x] is not known: there are ${operators}`),
  refused('published[$gt]=true', 'published[$gt] is not known: there are $eq, $in, $ne, $nin'),
  refused('published=yes', 'published must be true or false'),
  refused('rating=1,5', 'rating must be a number'),
  refused('rating=NaN', 'rating must be a number'),
  refused('rating=1e400', 'rating must be a number'),
  refused('rating=6', 'rating must be at most 5'),
  refused('views=-1', 'views must be at least 0'),
  refused('status=done', 'status must be draft or final'),
  refused('note=too long', 'note must have at most 5 characters'),
  refused('parent=x', 'parent must be an integer or null'),
  refused('email=x', 'email must be an e-mail address'),
  refused('at=yesterday', 'at must be a date with a time, as in 2030-01-31T12:00:00Z'),
  refused('$limit=x', '$limit must be an integer from 0 to 2147483647'),
  refused('$limit=-1', '$limit must be an integer from 0 to 2147483647'),
  refused('$skip=1.5', '$skip must be an integer from 0 to 2147483647'),
  refused('$limit=1&$limit=2', '$limit must be an integer from 0 to 2147483647'),
  refused('$sort=title', '$sort must name fields, as in $sort[name]=1'),
  refused(
    '$sort[titel]=1',
    '$sort[titel] is not known: a query sorts by at, body, code, email, id, note, parent, published, rating, status, title, views'
  ),
  refused('$sort[title]=2', '$sort[title] must be 1 or -1'),
  refused('$sort[title]=asc', '$sort[title] must be 1 or -1'),
  refused(
    '$select=secret',
    '$select must name fields: address, at, body, code, email, id, note, parent, published, rating, status, tags, title, views'
  ),
  refused('$select[a]=title', '$select must be a list of fields'),
  refused('$or=1', '$or must be a list of queries'),
  refused('$or[0][titel]=1', `$or[0][titel] is not known: ${by}`),
  refused('$and[0][id]=x', '$and[0][id] must be an integer'),
  refused('$or[0][$limit]=1', `$or[0][$limit] is not known: ${by}`),
  [
    'GET',
    `?${deep}[id]=1`,
    undefined,
    '$or[0][$or][0][$or][0][$or][0][$or][0][$or] must stand at most 5 deep in others of its kind'
  ],
  ['GET', '/1?$limit=1', undefined, `$limit is not known: ${by}`],
  ['POST', '?id=1', post, 'id is not known'],
  ['PATCH', '/1?titel=1', { title: 'B' }, `titel is not known: ${by}`],
  create({ id: 7 }, 'id can not be set'),
  create({ admin: true }, 'admin is not known'),
  create({ title: undefined }, 'title is required'),
  create({ title: 7 }, 'title must be a string'),
  create({ title: '' }, 'title must have at least 1 character'),
  create({ rating: '1' }, 'rating must be a number'),
  create({ note: 7 }, 'note must be a string or null'),
  create({ code: true }, 'code must be a number or a string'),
  create({ tags: ['a', 'too long'] }, 'tags[1] must have at most 5 characters'),
  create({ address: { city: 'Bern', street: 'x' } }, 'address.street is not known'),
  ['POST', '', [post, { ...post, status: 'x' }], '[1].status must be draft or final'],
  ['PATCH', '/1', {}, 'The data must have at least 1 field']
]
