const error = (code: number, className: string, message?: unknown) => ({
  code,
  className,
  ...(message !== undefined && { message })
})
const a = { id: 1, title: 'a', text: 'one two three', words: 3, tags: ['x'], published: false, author: 1 }
const nested = /Deeply-nested arrays\/objects aren.t supported/

/** What the requests to the blog must get. A list has these items, and no others. */
export const expected: Readonly<Record<string, unknown>> = {
  'sign-up': [201, { id: 1, email: 'ada@example.com', name: 'Ada', password: undefined }],
  'without a token': [401, error(401, 'not-authenticated', 'Not authenticated')],
  'wrong password': [401, error(401, 'not-authenticated', 'Invalid login')],
  login: [
    201,
    {
      accessToken: /^[\w-]+\.[\w-]+\.[\w-]+$/,
      authentication: { strategy: 'local', payload: { sub: '1' } },
      user: { id: 1, name: 'Ada', password: undefined }
    }
  ],
  create: [201, a],
  batch: [
    201,
    [
      { id: 2, words: 1 },
      { id: 3, words: 2 }
    ]
  ],
  page: { total: 3, limit: 2, skip: 1, data: [{ title: 'c' }, { title: 'b' }] },
  sort: ['a', 'c', 'b'],
  'sort by two': ['c', 'b', 'a'],
  equality: ['c'],
  operators: ['c'],
  'one of a list': ['a', 'c'],
  'a list of one': ['b'],
  'none of a list': ['a'],
  characters: [],
  select: [{ id: 1, title: 'a', text: undefined, words: undefined }],
  'select of several': [{ title: 'a', words: 3, text: undefined }],
  'alternatives by qs': ['a', 'b'],
  'alternatives without it': nested,
  get: a,
  'not found': error(404, 'not-found'),
  'bad query': error(400, 'bad-request', /words/),
  'bad data': error(400, 'bad-request', /title/),
  update: { ...a, title: 'A', text: 'one two', words: 2, tags: [] },
  patch: { id: 1, title: 'a', words: 2 },
  publish: { id: 1, published: true },
  'patch of many': [
    { id: 1, tags: ['short'] },
    { id: 2, tags: ['short'] },
    { id: 3, tags: ['short'] }
  ],
  comment: { id: 1, post: 1, text: 'Well said', author: 1 },
  comments: { total: 1, data: [{ id: 1, text: 'Well said' }] },
  upload: { id: 1, title: 'A file', bytes: 5, author: 1, file: undefined },
  remove: { id: 2, title: 'b' },
  'remove of many': [{ id: 1 }, { id: 3 }],
  logout: { authentication: { strategy: 'jwt' }, user: { id: 1 } }
}

const largest = {
  total: 10,
  limit: 3,
  data: [{ name: 'Algeria' }, { name: 'Libya' }, { name: 'Chad' }]
}

/** What the requests to the atlas must get. */
export const countries: Readonly<Record<string, unknown>> = {
  'openapi-fetch': largest,
  'hey-api': largest,
  'a list with events': [],
  one: {
    cca3: 'CHE',
    name: 'Switzerland',
    borders: ['AUT', 'FRA', 'ITA', 'LIE', 'DEU'],
    currencies: { CHF: { symbol: 'Fr.' } }
  },
  missing: { code: 404, className: 'not-found' }
}
