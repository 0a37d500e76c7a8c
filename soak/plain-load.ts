import { kinds } from '../fuzz/corpus.js'
import { ask, head, leave, raw } from './calls.js'
import { type Actions, expect } from './load.js'

const ada = { email: 'ada@example.com', password: 'correct horse' }
const finite = kinds.filter((kind) => kind !== 'endless')
const anyOf = (list: readonly string[]) => list[Math.floor(Math.random() * list.length)] as string

/** What is asked of a server without a database. */
export function plainActions(url: string): Actions {
  const login = async () => {
    const first = await ask(`${url}/authentication`, 'POST', { strategy: 'local', ...ada })
    expect(first, 201)
    const { refreshToken } = first.body
    const next = await ask(`${url}/authentication`, 'POST', { strategy: 'refresh', refreshToken })
    expect(next, 201)
    expect(await ask(`${url}/guarded`, 'GET', undefined, next.body.accessToken), 200)
    expect(await ask(`${url}/authentication`, 'DELETE', undefined, next.body.accessToken), 200)
    expect(await ask(`${url}/guarded`, 'GET', undefined, next.body.accessToken), 401)
  }
  return [
    [10, async () => expect(await ask(`${url}/things?text=a&tags[]=b`), 200)],
    [10, async () => expect(await ask(`${url}/things`, 'POST', [{ text: 'a' }, { text: 'b' }]), 201)],
    [5, async () => expect(await ask(`${url}/notes`, 'POST', { text: 'a', count: '1' }), 201)],
    [5, async () => expect(await ask(`${url}/notes`, 'POST', { count: 'x' }), 400)],
    [5, async () => expect(await ask(`${url}/notes`, 'POST', '{"text"'), 400)],
    [5, async () => expect(await ask(`${url}/none`), 404)],
    [5, login],
    [10, async () => expect(await ask(`${url}/streams/${anyOf(finite)}`), 200, 202)],
    [5, async () => expect(await ask(`${url}/streams/${anyOf(finite)}?refuse=1`), 409)],
    [5, () => leave(`${url}/streams/${anyOf(kinds)}`, 'GET', undefined, undefined, Math.random() * 20)],
    [5, () => raw(url, head(`/streams/${anyOf(kinds)}`))],
    [2, () => raw(url, head(`/streams/${anyOf(kinds)}`).repeat(3), 0)],
    [2, () => raw(url, head(`/streams/${anyOf(kinds)}`, 'HEAD'), 0)],
    [2, () => raw(url, 'GET /things HTTP/1.1\r\nHos')],
    [2, () => raw(url, head('/things', 'POST', 'Content-Type: application/json\r\nContent-Length: 50\r\n'))]
  ]
}
