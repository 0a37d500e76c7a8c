import { shown } from './outcome.js'

/** What a library of a test does with a request: it answers, has no answer, or waits until it is told to abort. */
export type Play = { status: number; type?: string | undefined; body: string } | 'fails' | 'waits'

/** What such a library was given, and how it is to go on. */
export interface Played {
  readonly got: unknown[]
  play: Play
}

type Callback = (this: object, error: unknown, response?: object, body?: unknown) => void

const bytes = (text: string) => new TextEncoder().encode(text)
const failure = new Error('no route')

/** Writes down a call by its arguments. */
const note = ({ got }: Played, name: string, ...args: unknown[]) => void got.push([name, ...args.map(shown)])

/** Answers at once, fails, or waits. `signal` is for libraries that know signals. */
function answerOf(
  { play }: Played,
  signal?: AbortSignal
): Promise<{ status: number; type?: string | undefined; body: Uint8Array }> {
  return new Promise((resolve, reject) => {
    if (play === 'waits') return signal?.addEventListener('abort', () => reject(new Error('aborted by itself')))
    if (play === 'fails') return reject(failure)
    resolve({ ...play, body: bytes(play.body) })
  })
}

/** Libraries that the client can be given, without a network behind them. */
export const libraries: Record<string, (played: Played) => unknown> = {
  fetch: (played) => async (url: string, init: { signal?: AbortSignal }) => {
    note(played, 'fetch', url, init)
    const { status, type, body } = await answerOf(played, init.signal)
    return {
      status,
      headers: new Headers(type === undefined ? {} : { 'content-type': type }),
      text: async () => new TextDecoder().decode(body),
      blob: async () => new Blob([body as Uint8Array<ArrayBuffer>], { type: String(type) })
    }
  },
  axios: (played) => ({
    async request(
      config: Record<'transformRequest' | 'transformResponse', [(data: unknown) => unknown] | undefined> & {
        signal?: AbortSignal
        validateStatus(): boolean
      }
    ) {
      note(played, 'request', config)
      note(
        played,
        'with',
        config.validateStatus(),
        config.transformResponse?.[0]('as it is'),
        config.transformRequest?.[0]('as it was')
      )
      const { status, type, body } = await answerOf(played, config.signal)
      return { status, headers: type === undefined ? {} : { 'content-type': type }, data: body }
    }
  }),
  superagent: (played) =>
    Object.fromEntries(
      ['post'].map((verb) => [
        verb,
        (url: string) => {
          let data: unknown
          note(played, verb, url)
          const chained = (name: string, run?: (argument: never) => unknown) => (argument: never) => {
            note(played, name, argument, ...(run ? [run(argument)] : []))
            return request
          }
          const request: Record<string, unknown> = {
            ...Object.fromEntries(['set', 'responseType', 'timeout', 'abort'].map((name) => [name, chained(name)])),
            ok: chained('ok', (isOk: () => boolean) => isOk()),
            serialize: chained('serialize', (serialize: (body: string) => unknown) => serialize('as it was')),
            send: chained('send', (body: unknown) => {
              // What it does not know it copies.
              data = ArrayBuffer.isView(body) ? { ...body } : body
            }),
            toJSON: () => {
              note(played, 'method', request.method)
              return { data }
            }
          }
          return Object.assign(request, {
            // biome-ignore lint/suspicious/noThenProperty: requests of superagent have it
            then: (resolve: (answer: object) => void, reject: (error: unknown) => void) =>
              answerOf(played).then(
                ({ status, type, body }) =>
                  resolve({ status, body, headers: type === undefined ? {} : { 'content-type': type } }),
                reject
              )
          })
        }
      ])
    ),
  jquery: (played) => ({
    ajax(settings: { xhr(): Record<string, unknown> }) {
      const xhr = settings.xhr()
      note(played, 'ajax', settings)
      note(played, 'xhr', xhr.responseType)
      const listeners: ((_: unknown, status: string) => void)[] = []
      const settle = (state: string, members: object) => {
        Object.assign(xhr, members)
        for (const listener of listeners) listener(undefined, state)
      }
      const none = { status: 0 }
      answerOf(played).then(
        ({ status, type, body }) => {
          sent.getResponseHeader = (name) => (name === 'content-type' ? (type ?? null) : 'another')
          settle('success', { status, response: body.buffer })
        },
        () => settle('error', none)
      )
      const sent = {
        getResponseHeader: (_name: string): string | null => null,
        always(listener: (_: unknown, status: string) => void) {
          listeners.push(listener)
          return sent
        },
        abort() {
          note(played, 'abort')
          settle('abort', none)
        }
      }
      return sent
    }
  }),
  request: (played) => (settings: object, callback: Callback) => {
    note(played, 'request', settings)
    const sent = { abort: () => note(played, 'abort') }
    answerOf(played).then(
      ({ status, type, body }) =>
        callback.call(
          sent,
          null,
          { statusCode: status, headers: type === undefined ? {} : { 'content-type': type } },
          body
        ),
      (error) => callback.call(sent, error)
    )
    return sent
  }
}
