import type { Params } from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { around, ask, bearer, createGuardsApp, createPeople } from '../support/auth-guards.js'
import { createGenerator } from '../support/random.js'
import { secret } from '../support/tokens.js'

/*
 * A hook does something with the params of a caller who has logged in at `/authentication`, and hands them to a service that another
 * authentication guards. As long as it hands on the params, or one of the objects that the login has put there, nobody is let in.
 * SEED=7 RUNS=20000 tries others.
 */
const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 500)

type Handed = Params & Record<string, unknown>
type Change = (params: Handed) => Handed

const ofLogin = ['user', 'authentication'] as const

/** Changes that leave the objects of the login in their places, or the params what they are. */
const changes: Record<string, Change> = {
  'a copy': (params) => ({ ...params }),
  'a copy with all properties': (params) =>
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(params)) as Handed,
  'without the user': ({ user, ...params }) => params,
  'without the credentials': ({ authentication, ...params }) => params,
  'what is there is frozen': (params) => {
    for (const name of ofLogin) if (params[name]) Object.freeze(params[name])
    return params
  },
  'the user is said to be another': (params) => {
    if (params.user) Reflect.set(params.user, 'id', 99)
    return params
  },
  'a copy of the user': ({ ...params }) => ({ ...params, user: params.user && { ...(params.user as object) } }),
  'a user that inherits': ({ ...params }) => ({ ...params, user: params.user && Object.create(params.user as object) }),
  'a user by JSON': ({ ...params }) => ({ ...params, user: params.user && JSON.parse(JSON.stringify(params.user)) }),
  'the same user behind a proxy': ({ ...params }) => ({
    ...params,
    user: params.user && new Proxy(params.user as object, {})
  })
}

/** What is handed on at last: the params with their mark, or one object of the login alone. */
const last: Record<string, Change> = {
  'the params': (params) => ({ ...params }),
  'the user of the login': ({ authenticated }) => ({ user: login.user, authenticated, provider: 'rest' }) as Handed,
  'the credentials of the login': ({ authenticated }) =>
    ({ authentication: login.authentication, authenticated, provider: 'rest' }) as Handed
}

let login: Handed = {}
let steps: Change[] = []

t.test('who is known to one authentication is nobody to another, whatever a hook does with its params', async (t) => {
  const told: Handed[] = []
  const app = await createGuardsApp(t, {
    before: async (app) => {
      app.service('admins', createPeople([{ id: 99, email: 'root@example.com' }]))
      await app.register(authentication, { secret, path: 'admin/login', service: 'admins' })
      const audit = async (params: Handed) => {
        told.push(params)
        return []
      }
      app.service('audit', { find: audit }, around(authenticate({ service: 'admin/login', strategies: ['jwt'] })))
      const find = async (params: Handed) => {
        login = { ...params }
        return app.service('audit').find(steps.reduce((changed, change) => change(changed), params))
      }
      app.service('handing', { find }, around(authenticate('jwt')))
    }
  })
  const random = createGenerator(seed)
  const pick = (names: readonly string[]) => names[Math.floor(random() * names.length)] as string
  for (let run = 0; run < runs; run++) {
    const names = Array.from({ length: Math.floor(5 * random()) }, () => pick(Object.keys(changes)))
    const end = pick(Object.keys(last))
    steps = [...names.map((name) => changes[name] as Change), last[end] as Change]
    const { status } = await ask(app, '/handing', bearer())
    const words = `seed ${seed}, run ${run}: ${[...names, end].join(', ')}`
    if (status !== 401 || told.length > 0) return t.fail(words)
  }
  t.equal(told.length, 0, `${runs} ways`)
})
