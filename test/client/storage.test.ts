import { memoryStorage } from 'fastify-services/client'
import t from 'tap'
import { credentials } from '../support/client-login.js'
import { createRace, keys, other } from '../support/client-race.js'

t.test('a storage that is slow: what is stored is that of the user who logged in last', async (t) => {
  const items = new Map<string, string>()
  let isSlow = false
  let onSlow = () => {}
  const later = async <T>(run: () => T) => {
    if (isSlow) {
      onSlow()
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    return run()
  }
  const { app, storage } = await createRace(t, {
    getItem: async (key) => items.get(key),
    setItem: (key, value) => later(() => items.set(key, value)),
    removeItem: (key) => later(() => items.delete(key))
  })
  const events: unknown[] = []
  app.on('login', (result) => void events.push((result as { user: { email: string } }).user.email))
  isSlow = true
  const begun = new Promise<void>((resolve) => {
    onSlow = resolve
  })
  const first = app.authenticate(credentials)
  await begun
  isSlow = false
  const { accessToken, refreshToken } = await app.authenticate(other)
  await first
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.equal(await storage.getItem('feathers-jwt-refresh'), refreshToken)
  t.same(events, [other.email])
})

t.test('a storage that fails midway keeps no half of a login', async (t) => {
  const storage = memoryStorage()
  let [isFull, isLocked] = [false, false]
  const { app } = await createRace(t, {
    ...storage,
    setItem(key, value) {
      if (isFull && key === 'feathers-jwt') throw new Error('the quota is exceeded')
      storage.setItem(key, value)
    },
    removeItem(key) {
      if (isLocked) throw new Error('nothing can be removed')
      storage.removeItem(key)
    }
  })
  await app.authenticate(credentials)
  isFull = true
  await t.rejects(app.authenticate(other), { message: 'the quota is exceeded' })
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  t.equal(await storage.getItem('feathers-jwt-refresh'), undefined)
  isLocked = true
  await t.rejects(app.authenticate(other), { message: 'the quota is exceeded' }, 'the first error is told')
})

t.test('a refused renewal ends the login that it began with, though the storage takes its time', async (t) => {
  const storage = memoryStorage()
  let begun: (() => void) | undefined
  let goOn = () => {}
  const { app, hold } = await createRace(t, {
    ...storage,
    async getItem(key) {
      if (begun !== undefined && key === 'feathers-jwt-refresh') {
        begun()
        begun = undefined
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
      }
      return storage.getItem(key)
    }
  })
  await app.authenticate(credentials)
  for (const key of keys) await storage.setItem(key, 'an.old.one')
  const asked = new Promise<void>((resolve) => {
    begun = resolve
  })
  const call = app.service('me').find()
  call.catch(() => {})
  await asked
  const { result: login, letGo } = await hold(() => app.authenticate(other))
  goOn()
  await t.rejects(call, { code: 401 })
  letGo()
  const { accessToken } = await login
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.match(await app.service('me').find(), { email: other.email })
})

t.test('`reAuthenticate` while a slow storage drops the tokens of a logout finds none', async (t) => {
  const storage = memoryStorage()
  let dropping = () => {}
  const { app } = await createRace(t, {
    ...storage,
    async removeItem(key) {
      dropping()
      await new Promise((resolve) => setTimeout(resolve, 20))
      storage.removeItem(key)
    }
  })
  await app.authenticate(credentials)
  const begun = new Promise<void>((resolve) => {
    dropping = resolve
  })
  const logout = app.logout()
  await begun
  await t.rejects(app.reAuthenticate(), { code: 401 })
  await logout
  t.notOk(app.get('authentication'))
})
