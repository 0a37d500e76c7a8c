import { memoryStorage } from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { playAll, type Rows } from './login-play.js'

const ada = { 'feathers-jwt': 'ada-a', 'feathers-jwt-refresh': 'ada-r' }

// That of the play which is on.
let log: string[] = []
const locks = {
  async request(name: string, _options: object, run: () => Promise<void>) {
    log.push(`lock ${name}`)
    await run()
    log.push(`unlock ${name}`)
  }
}
const refusing = { request: () => Promise.reject(new Error('no locks here')) }
/** Those of a page whose other tab has been frozen while it renewed the token. */
const frozen = {
  request: async (_name: string, { signal }: { signal: AbortSignal }) => signal.throwIfAborted()
}

/** Finds with a token that is refused, in a page with these locks. */
const renewsWith =
  (navigator: object | undefined, more: object = {}, isPage = true): Rows[string] =>
  async (play) => {
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: navigator })
    Object.assign(globalThis, { location: isPage ? {} : undefined })
    const {
      does,
      find,
      server,
      faults,
      logIn,
      log: own
    } = play('storageKey' in more ? { key: 'ada-a', 'key-refresh': 'ada-r' } : ada, more)
    log = own
    if ('storage' in more) await does('login', () => logIn('ada'))
    server.refused.add('storage' in more ? 'ada-1' : 'ada-a')
    if ('refused' in more) server.refused.add('ada-r')
    if ('fault' in more) faults.set('POST refresh', more.fault)
    await Promise.all([does('one', find), does('two', find)])
    await new Promise((resolve) => setImmediate(resolve))
  }

const rows: Rows = {
  'no platform': renewsWith(undefined, {}, false),
  'no locks': renewsWith({}),
  locks: renewsWith({ locks }),
  'another key': renewsWith({ locks }, { storageKey: 'key' }),
  'a storage that no other tab sees': renewsWith({ locks }, { storage: undefined }),
  'a named storage that no other tab sees': renewsWith({ locks }, { storage: memoryStorage() }),
  'no page': renewsWith({ locks }, {}, false),
  'a refused renewal': renewsWith({ locks }, { refused: true }),
  'a renewal that fails': renewsWith({ locks }, { fault: 503 }),
  'locks that refuse': renewsWith({ locks: refusing }),
  'a lock that is never free': renewsWith({ locks: frozen })
}

t.test('renewals of tabs take turns', async (t) => {
  const { setTimeout } = globalThis
  const { timeout } = AbortSignal
  const passed = (time: number) => {
    log.push(`waits ${time} ms`)
    return AbortSignal.abort()
  }
  AbortSignal.timeout = (time) =>
    (globalThis as { navigator?: { locks?: object } }).navigator?.locks === frozen ? passed(time) : timeout(time)
  globalThis.setTimeout = ((run: () => void, time: number) => {
    if (time !== 300) return setTimeout(run, time)
    log.push(`waits ${time} ms`)
    return setImmediate(run)
  }) as never
  t.teardown(() => {
    Reflect.deleteProperty(globalThis, 'location')
    globalThis.setTimeout = setTimeout
    AbortSignal.timeout = timeout
  })
  isKept(t, await playAll(rows), 'test/client/whole-locks.txt')
})
