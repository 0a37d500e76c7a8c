import { setTimeout as wait } from 'node:timers/promises'
import { ask, head, leave, listen, raw } from './calls.js'
import { countries, type Ledger } from './ledger.js'
import { type Actions, expect } from './load.js'

const below = (end: number) => Math.floor(Math.random() * end)
const anyCountry = () => countries[below(countries.length)] as string
const password = 'correct horse'

/** Signs a user up, where there is none yet, and logs in. */
export async function logIn(url: string): Promise<string> {
  const user = { email: 'soak@example.com', name: 'Soak', password }
  expect(await ask(`${url}/users`, 'POST', user), 201, 409)
  const { body } = await ask(`${url}/authentication`, 'POST', { strategy: 'local', email: user.email, password })
  return body.accessToken
}

/** What is asked of the atlas. */
export function atlasActions(url: string, token: string, ledger: Ledger): Actions {
  const notes = () => `${url}/countries/${anyCountry()}/notes`
  const create = async () => {
    const text = ledger.text()
    expect(await ask(notes(), 'POST', { text }, token), 201)
    ledger.acknowledge([text])
  }
  const createBatch = async () => {
    const texts = ledger.batch(2 + below(30))
    expect(
      await ask(
        notes(),
        'POST',
        texts.map((text) => ({ text })),
        token
      ),
      201
    )
    ledger.acknowledge(texts)
  }
  const patch = async () => {
    const { body } = await ask(`${notes()}?$limit=1&$sort[id]=-1`)
    const [last] = body.data
    if (last) expect(await ask(`${url}/countries/${last.code}/notes/${last.id}`, 'PATCH', { pinned: true }, token), 200)
  }
  const subscribe = async (user: string | undefined) => {
    const { status, frames } = await listen(notes(), user, below(3000))
    expect({ status, body: frames }, 200)
    if (frames === 0) throw new Error('A stream of events did not begin')
  }
  const streamHead = (path: string) => head(path, 'GET', 'Accept: text/event-stream\r\n')
  return [
    [6, () => subscribe(undefined)],
    [6, () => subscribe(token)],
    [2, () => leave(`${url}/events`, 'GET', undefined, token, below(5))],
    [2, () => raw(url, streamHead('/events'), 0)],
    [2, () => raw(url, streamHead(`/countries/${anyCountry()}/notes`).repeat(3), 1)],
    [20, create],
    [4, createBatch],
    [8, async () => expect(await ask(`${notes()}?$limit=20&$sort[id]=-1`), 200)],
    [8, async () => expect(await ask(`${url}/countries?region=Africa&$sort[area]=-1`), 200)],
    [4, patch],
    [4, () => leave(notes(), 'POST', { text: ledger.text() }, token, below(15))],
    [
      2,
      () =>
        leave(
          notes(),
          'POST',
          ledger.batch(20).map((text) => ({ text })),
          token,
          below(15)
        )
    ],
    [2, async () => expect(await ask(notes(), 'POST', '{"text":', token), 400)],
    [2, async () => expect(await ask(notes(), 'POST', { text: 'no token' }), 401)],
    [2, async () => expect(await ask(notes(), 'POST', { text: 1, other: [] }, token), 400, 422)],
    [2, async () => expect(await ask(`${notes()}/abc`), 404)],
    [1, () => raw(url, head('/countries?$limit=250'))],
    [1, () => raw(url, head('/countries?$limit=250'), 0)],
    [1, () => raw(url, `${head('/countries/CHE').repeat(5)}GET /none HT`)],
    [
      1,
      () => raw(url, head('/countries/CHE/notes', 'POST', 'Content-Type: application/json\r\nContent-Length: 50\r\n'))
    ]
  ]
}

/** A login and its end: its hash takes long, so it is for one, now and then. */
export async function comeAndGo(url: string): Promise<void> {
  const token = await logIn(url)
  expect(await ask(`${url}/users`, 'GET', undefined, token), 200)
  expect(await ask(`${url}/authentication`, 'DELETE', undefined, token), 200)
  expect(await ask(`${url}/users`, 'GET', undefined, token), 401)
  await wait(500)
}
