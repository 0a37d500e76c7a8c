import { forge } from './tokens.js'

/** A request before it is text: what is changed in it as a whole is changed here. */
export interface Message {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: string
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const tokens = Array.from({ length: 20 }, (_, index) => forge({ jti: `fuzz-${index}` }))
const odd = [
  ...[
    forge({ exp: 1 }),
    forge({ exp: 1e15 }),
    forge({ jti: undefined }),
    forge({ sub: {} }),
    forge([]),
    forge({ sub: '9' })
  ],
  ...[forge({}, { alg: 'none' }), forge({}, { alg: 'HS512' }), forge({ aud: 'other' }), 'a.b.c', '']
]
export const accessTokens = [...tokens, ...odd]

/** Stands for a refresh token that the server has given; as long as one. */
export const refreshToken = `${'R'.repeat(22)}.${'R'.repeat(43)}`

function message(method: string, target: string, body = '', type = json, more: Record<string, string> = {}): Message {
  const headers: Message['headers'] = [['Host', 'localhost'], ['Accept', json], ...Object.entries(more)]
  if (body !== '') headers.push(['Content-Type', type])
  return { method, target, headers, body }
}

const bearer = { Authorization: `Bearer ${tokens[0]}` }
const login = (body: object) => message('POST', '/authentication', JSON.stringify(body))
const parts =
  '--part\r\nContent-Disposition: form-data; name="text"\r\n\r\nhello\r\n--part\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nbytes\r\n--part--\r\n'
export const kinds = ['bytes', 'objects', 'web', 'generator', 'response', 'endless', 'late']

/** Good requests: one at least for each thing that the server can do. */
export const corpus: readonly Message[] = [
  message('GET', '/things?text=a&$limit=5&$sort[id]=-1&tags[]=a&tags[]=b'),
  message('GET', '/things/1'),
  message('HEAD', '/things/1'),
  message('OPTIONS', '/things', '', json, { Origin: 'http://localhost', 'Access-Control-Request-Method': 'PUT' }),
  message('POST', '/things', '{"text":"a"}'),
  message('POST', '/things', '[{"text":"a"},{"text":"b"}]'),
  message('POST', '/things', 'text=a&tags[]=b&nested[a][b]=c', form),
  message('PUT', '/things/1', '{"text":"b"}'),
  message('PUT', '/things?id=1', '{"text":"b"}'),
  message('PATCH', '/things/1', '{"text":"c"}'),
  message('PATCH', '/things?text=c', '{"tags":["d"]}'),
  message('DELETE', '/things/1'),
  message('DELETE', '/things?text=none'),
  message('POST', '/things', '{"text":"a"}', json, { 'X-Service-Method': 'archive' }),
  message('POST', '/notes', '{"text":"a","count":1,"tags":["b"]}'),
  message('POST', '/notes', '[{"text":"a"},{"text":"b","count":"2"}]'),
  message('PATCH', '/notes/1', '{"count":"3"}'),
  message('GET', '/notes?count=1&$limit=3'),
  message('POST', '/notes', '{"text":"a"}', json, { 'X-Service-Method': 'archive' }),
  message('GET', '/rooms/1/seats/2'),
  message('POST', '/rooms/a%2Fb/seats', '{"text":"a"}'),
  message('GET', '/v1/things?text=a'),
  message('GET', '/mounted/blue/things?text=a&$limit=5'),
  message('POST', '/mounted/blue/things', '{"text":"a"}'),
  message('PATCH', '/mounted/blue/things/1?text=a', '{"text":"b"}'),
  message('DELETE', '/mounted/blue/things/1'),
  message('POST', '/mounted/blue/things', '{"text":"a"}', json, { 'X-Service-Method': 'archive' }),
  message('GET', '/formatted/1', '', json, { Accept: 'text/plain;q=0.5, text/html' }),
  message('GET', '/pages/nothing', '', json, { Accept: 'text/html' }),
  message('GET', '/errors/NotFound?text=a'),
  message('GET', '/none/of/these?text=a', '', json, { Accept: 'text/html' }),
  ...kinds.map((kind) => message('GET', `/streams/${kind}`)),
  ...kinds.map((kind) => message('HEAD', `/streams/${kind}?refuse=1`)),
  message('POST', '/upload', parts, 'multipart/form-data; boundary=part'),
  message('POST', '/users', '{"email":"bob@example.com","password":"correct horse"}'),
  message('GET', '/users/1', '', json, bearer),
  message('GET', '/guarded?text=a', '', json, bearer),
  message('GET', '/route', '', json, bearer),
  login({ strategy: 'local', email: 'ada@example.com', password: 'correct horse' }),
  login({ strategy: 'jwt', accessToken: tokens[1] }),
  login({ strategy: 'refresh', refreshToken }),
  message('DELETE', '/authentication', '', json, bearer)
]
