import { memoryStorage, type Storage } from 'fastify-services/client'
import type { Test } from 'tap'
import { createLoginClient, createLoginServer } from './client-login.js'
import { toHash } from './stored-password.js'

export const other = { strategy: 'local', email: 'bob@example.com', password: 'another long secret' }

/** Where tokens are kept. */
export const keys = ['feathers-jwt', 'feathers-jwt-refresh']

/** A server with two users, and a client whose answers can be held back. */
export async function createRace(t: Test, storage: Storage = memoryStorage()) {
  const { app: server, address } = await createLoginServer(t, { refresh: true })
  await server.service('users').create({ email: other.email, password: toHash(other.password) })
  let held: { url: string; arrived(): void } | undefined
  let letGo = () => {}
  const client = createLoginClient(address, storage, (url) => {
    if (url !== held?.url) return undefined
    held.arrived()
    held = undefined
    return new Promise((resolve) => {
      letGo = resolve
    })
  })
  /** Makes a call, and waits for its first request to `url`, which gets no answer before `letGo` is called. */
  const hold = async <T>(call: () => Promise<T>, url = '/authentication') => {
    const isAsked = new Promise<void>((resolve) => {
      held = { url, arrived: resolve }
    })
    const result = call()
    result.catch(() => {})
    await isAsked
    return { result, letGo }
  }
  return { ...client, address, server, hold }
}

/** The tokens that logouts were sent with. */
export const left = (requests: { method: string; token: string | undefined }[]) =>
  requests.filter(({ method }) => method === 'DELETE').map(({ token }) => token)

/** Lets all logins of a server fail with 503, or all logouts, until the function that it returns is called. */
export function breakLogins(
  server: { service(path: string): { hooks(hooks: object): unknown } },
  method: 'create' | 'remove' = 'create'
) {
  let isBroken = true
  const fail = () => {
    if (isBroken)
      throw Object.assign(new Error('not now'), { code: 503, className: 'unavailable', name: 'Unavailable' })
  }
  server.service('authentication').hooks({ before: { [method]: [fail] } })
  return () => {
    isBroken = false
  }
}

/** The events of an application, in order: the address of who is logged in or out, `null` where that is not known. */
export function listen(app: { on(event: string, listener: (result: unknown) => void): unknown }) {
  const events: string[] = []
  for (const event of ['login', 'logout'])
    app.on(event, (result) => {
      events.push(`${event} ${(result as { user?: { email: string } } | null)?.user?.email ?? null}`)
    })
  return events
}

/** A storage whose next call of a method waits until it is told how to go on. */
export function createGate(method: Exclude<keyof Storage, 'isShared'>) {
  const storage = memoryStorage()
  let onReached: (() => void) | undefined
  let goOn = () => {}
  let fail = (_error: Error) => {}
  const waiting = async (key: string, value: string) => {
    if (onReached !== undefined && key === 'feathers-jwt') {
      onReached()
      onReached = undefined
      await new Promise<void>((resolve, reject) => {
        goOn = resolve
        fail = reject
      })
    }
    return storage[method](key, value) as string
  }
  const close = () =>
    new Promise<void>((resolve) => {
      onReached = resolve
    })
  return {
    storage: { ...storage, [method]: waiting },
    close,
    goOn: () => goOn(),
    fail: (error: Error) => fail(error)
  }
}
