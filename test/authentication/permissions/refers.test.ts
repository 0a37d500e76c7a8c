import { MemoryService } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import { BadRequest, Forbidden, type HookContext, NotAuthenticated, NotFound, type Params } from 'fastify-services'
import { allow, type Reference, refers, scope } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createApp } from './callers.js'

const ada = { id: 1, role: 'owner', clinicId: 1 }
const people = [ada, { id: 2, role: 'doctor', clinicId: 1 }, { id: 3, role: 'patient', clinicId: 1 }]
const stranger = { id: 4, role: 'doctor', clinicId: 2 }
const users = [...people, stranger]
type User = typeof ada

const inClinic = scope(({ params }) => ({ clinicId: (params.user as User | undefined)?.clinicId }), {
  except: ['assign']
})
const around = (...hooks: ReturnType<typeof refers>[]) => ({ hooks: { around: { all: hooks } } })

/** Starts a server with users, in a store of the adapter or by hand, and with slots that refer to them. */
async function start(t: Test, hook: ReturnType<typeof refers>, { byHand = false } = {}) {
  const calls: string[] = []
  const count = ({ method }: { method: string }) => void calls.push(method)
  const stored = new MemoryService<User>({ startId: 5 })
  stored.store = Object.fromEntries(users.map((user) => [user.id, { ...user }]))
  const hand = {
    async get(id: string) {
      const user = users.find((user) => String(user.id) === id)
      if (user === undefined) throw new NotFound(`There is no user ${id}`)
      return user
    },
    find: async () => users
  }
  const slots = Object.assign(new MemoryService({ startId: 1, multi: true }), { assign: async (data: unknown) => data })
  const { app, send } = await createApp(t, (app) => {
    app.service('slots', slots, {
      methods: ['find', 'create', 'update', 'patch', 'assign'],
      ...around(inClinic, hook)
    })
    app.service('users', byHand ? hand : stored, around(inClinic)).hooks({ before: { all: [count] } })
  })
  /** Sends a request as Ada. `calls` names the methods of `users` that it has called. */
  const write = async (verb: string, url: string, body: unknown, headers = {}) => {
    calls.length = 0
    const answer = await send(verb, url, { as: ada, body, headers })
    return { ...answer, calls: calls.join(' ') }
  }
  return { app, send, write }
}

const read = async (add: (app: FastifyInstance) => unknown, t: Test, body: unknown, url = '/slots') => {
  const { send } = await createApp(t, add)
  return send('POST', url, { as: ada, body })
}

const issue = (...instancePaths: string[]) => ({
  status: 400,
  body: {
    name: 'BadRequest',
    errors: instancePaths.map((instancePath) => ({
      instancePath,
      keyword: 'refers',
      message: "must be the id of a record of 'users' that you can choose"
    }))
  }
})

for (const byHand of [false, true]) {
  const name = byHand ? 'a service by hand' : 'an adapter'

  t.test(`${name}: a field takes the id of a record that the caller sees`, async (t) => {
    const { write } = await start(t, refers({ doctorId: 'users' }), { byHand })
    t.match(await write('POST', '/slots', { doctorId: 2 }), { status: 201, body: { doctorId: 2 }, calls: 'get' })
    t.match(await write('POST', '/slots', { doctorId: '2' }), { status: 201, body: { doctorId: '2' } })
    for (const body of [{}, { doctorId: null }, { other: 4 }])
      t.match(await write('POST', '/slots', body), { status: 201, calls: '' }, 'it refers to nothing')
    const other = await write('POST', '/slots', { doctorId: 4 })
    t.match(other, issue('/doctorId'))
    t.equal(other.body.message, "doctorId must be the id of a record of 'users' that you can choose")
    const none = await write('POST', '/slots', { doctorId: 99 })
    t.strictSame(none.body, other.body, 'no answer tells whether the record exists')
    for (const [verb, url] of [
      ['PATCH', '/slots/1'],
      ['PATCH', '/slots'],
      ['PUT', '/slots/1']
    ] as const) {
      t.match(await write(verb, url, { doctorId: 4 }), issue('/doctorId'), `${verb} ${url}`)
      t.match(await write(verb, url, { doctorId: 3 }), { status: 200 }, `${verb} ${url}`)
    }
  })

  t.test(`${name}: what is no id`, async (t) => {
    const { write } = await start(t, refers({ doctorId: 'users' }), { byHand })
    for (const doctorId of [{ id: 2 }, { toString: 'x' }, '', 'constructor', '__proto__', true, '2 '])
      t.match(await write('POST', '/slots', { doctorId }), issue('/doctorId'), JSON.stringify(doctorId))
    t.match(await write('POST', '/slots', { doctorId: [2, [4]] }), issue('/doctorId/1'))
    for (const body of [{ DOCTORID: 4 }, { doctor_id: 4 }])
      t.match(await write('POST', '/slots', body), {
        status: 403,
        body: { message: /can only be sent under this name/ }
      })
    t.match(await write('PATCH', '/slots/1', { $set: { doctorId: 4 } }), { status: 403 })
  })

  t.test(`${name}: lists of records, of ids, and several fields`, async (t) => {
    const { write } = await start(t, refers({ doctorId: 'users', guests: 'users' }), { byHand })
    const many = byHand ? 'get get get' : 'find'
    const list = [{ doctorId: 1 }, { doctorId: '2', guests: [1, 3, null] }]
    t.match(await write('POST', '/slots', list), { status: 201, calls: many })
    t.match(await write('PATCH', '/slots/1', { guests: [] }), { status: 200, calls: '' })
    t.match(await write('PATCH', '/slots/1', { guests: [1, 1, 1] }), { status: 200, calls: 'get' })
    t.match(
      await write('PATCH', '/slots/1', { doctorId: 9, guests: [1, 4, 9] }),
      issue('/doctorId', '/guests/1', '/guests/2')
    )
    const refused = await write('POST', '/slots', [{ doctorId: 1 }, { doctorId: 4 }, { guests: [1, 99] }])
    t.match(refused, issue('/1/doctorId', '/2/guests/1'))
    t.equal(refused.body.message, "[1].doctorId must be the id of a record of 'users' that you can choose (and 1 more)")
    const texts = await write('PATCH', '/slots/1', { guests: ['1', '2'] })
    t.match(texts, { status: 200 }, 'ids are compared as text')
    const guests = Array.from({ length: 1000 }, (_, index) => index + 100)
    const guessed = await write('PATCH', '/slots/1', { guests })
    t.equal(guessed.body.errors.length, 20)
    t.ok(guessed.calls.split(' ').length <= 21, 'guesses cost no call each')
  })

  t.test(`${name}: \`accepts\` decides about the records that the caller sees`, async (t) => {
    const doctor: Reference = {
      service: 'users',
      accepts: async ({ role, clinicId }, { data }) => role === 'doctor' && (data.clinicId ?? 1) === clinicId
    }
    const { write } = await start(t, refers({ doctorId: doctor, guests: 'users' }), { byHand })
    t.match(await write('POST', '/slots', { doctorId: 2, guests: [3] }), { status: 201 })
    t.match(await write('POST', '/slots', { doctorId: 3 }), issue('/doctorId'), 'a patient')
    t.match(await write('POST', '/slots', { doctorId: 4 }), issue('/doctorId'), 'of another clinic')
    t.match(await write('POST', '/slots', { doctorId: [2, 3], guests: [1] }), issue('/doctorId/1'))
    t.match(await write('POST', '/slots', { doctorId: 2, guests: [1, 9] }), issue('/guests/1'))
  })
}

t.test('many ids are found in parts, and cost a `get` each only where one is refused', async (t) => {
  const calls: string[] = []
  const stored = new MemoryService<{ id: number }>()
  stored.store = Object.fromEntries(Array.from({ length: 250 }, (_, id) => [id, { id }]))
  const { send } = await createApp(t, (app) => {
    const refuse = ({ method, params: { query } }: HookContext) => {
      calls.push(method)
      // PostgreSQL can't compare a number with another text.
      if (query?.id?.$in.some((id: unknown) => id === 'x')) throw new BadRequest('A value is not valid')
    }
    app.service('users', stored, { hooks: { before: { all: [refuse] } } })
    app.service('slots', new MemoryService(), around(refers({ guests: 'users' })))
  })
  const write = async (guests: unknown[]) => {
    calls.length = 0
    const { status, body } = await send('POST', '/slots', { as: ada, body: { guests } })
    const count = (method: string) => calls.filter((name) => name === method).length
    return { status, paths: body.errors?.map(({ instancePath }: { instancePath: string }) => instancePath), count }
  }
  const ids = Object.keys(stored.store).map(Number)
  const all = await write(ids)
  t.match([all.status, all.count('find'), all.count('get')], [201, 3, 0])
  const odd = await write([...ids.slice(0, 120), 'x', ...ids.slice(120)])
  t.match([odd.status, odd.paths, odd.count('find')], [400, ['/guests/120'], 2])
  t.ok(odd.count('get') <= 100)
  const last = await write([...ids, 999])
  t.match([last.status, last.paths, last.count('get')], [400, ['/guests/250'], 1])
})

t.test('a hexadecimal id has the same record in capitals if the store says so', async (t) => {
  const id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
  const objectId = '65f0c0ffee65f0c0ffee65f0'
  const foldingStore = { get: async (id: string) => ({ id: id.toLowerCase() }) }
  const exactStore = new MemoryService({ store: { [id]: { id } } })
  for (const [service, sent, status] of [
    [foldingStore, id.toUpperCase(), 201],
    [foldingStore, objectId.toUpperCase(), 201],
    [foldingStore, 'ADA', 400],
    [exactStore, id, 201],
    [exactStore, id.toUpperCase(), 400]
  ] as const) {
    const answer = await read(
      (app) => {
        app.service('users', service)
        app.service('slots', new MemoryService(), around(refers({ doctorId: 'users' })))
      },
      t,
      { doctorId: sent }
    )
    t.equal(answer.status, status, sent)
  }
})

t.test('custom methods, and calls of the server itself', async (t) => {
  const { app, write } = await start(t, refers({ doctorId: 'users' }))
  const headers = { 'x-service-method': 'assign' }
  t.match(await write('POST', '/slots', { doctorId: 2 }, headers), { status: 200 })
  t.match(await write('POST', '/slots', { doctorId: 4 }, headers), issue('/doctorId'))
  t.match(await write('POST', '/slots', 'a text', headers), { status: 200 })
  const slots = app.service<MemoryService>('slots')
  t.match(await slots.create({ doctorId: 99 }), { doctorId: 99 })
  const held = (await start(t, refers({ doctorId: 'users' }, { internal: true }))).app.service<MemoryService>('slots')
  t.match(await held.create({ doctorId: 4 }), { doctorId: 4 }, 'the server sees all users')
  await t.rejects(held.create({ doctorId: 99 }), { code: 400 })
})

t.test('a role that may get, and not find, refers to several records', async (t) => {
  for (const [permissions, status] of [
    [{ get: ['role'] }, 201],
    [{ find: true }, 201],
    [{ patch: true }, 400]
  ] as const) {
    const answer = await read(
      (app) => {
        const stored = new MemoryService<User>()
        stored.store = Object.fromEntries(users.map((user) => [user.id, user]))
        app.service('users', stored, around(allow({ owner: permissions })))
        app.service('slots', new MemoryService({ multi: true }), around(refers({ guests: 'users' })))
      },
      t,
      { guests: [1, 2] }
    )
    t.equal(answer.status, status, JSON.stringify(permissions))
  }
})

t.test('a service that fails, asks for a login, or returns nothing', async (t) => {
  const answers: [() => unknown, number][] = [
    [
      () => {
        throw new NotAuthenticated('Log in')
      },
      401
    ],
    [
      () => {
        throw new Error('The store is closed')
      },
      500
    ],
    [() => null, 400],
    [() => [], 400],
    [() => ({ id: 7 }), 400],
    [() => ({ name: 'without an id' }), 201]
  ]
  for (const [get, status] of answers) {
    const answer = await read(
      (app) => {
        app.service('users', { get: async () => get() })
        app.service('slots', new MemoryService(), around(refers({ doctorId: 'users' })))
      },
      t,
      { doctorId: 2 }
    )
    t.equal(answer.status, status, String(get))
  }
})

t.test('an id that the database can not compare ends the transaction, and is refused', async (t) => {
  const answers: [string[], Error, number][] = [
    [['find', 'get'], new BadRequest('A value is not valid'), 400],
    [['find'], new NotFound('A value is not valid'), 400],
    [['find'], new Forbidden('A role may not find'), 500],
    [['find'], new Error('The store is closed'), 500]
  ]
  for (const [methods, error, status] of answers) {
    const answer = await read(
      (app) => {
        const fail = ({ method }: { method: string }) => {
          throw methods.includes(method) ? error : new Error('The transaction is aborted')
        }
        app.service('users', new MemoryService(), { hooks: { before: { all: [fail] } } })
        app.service('slots', new MemoryService(), around(refers({ guests: 'users' })))
      },
      t,
      { guests: [1, 99_999_999_999] }
    )
    t.equal(answer.status, status, error.message)
  }
})

t.test('records below another record have its placeholder', async (t) => {
  const get = async (id: string, { route }: Params) => ({ id, ...route })
  const add = (app: FastifyInstance, hook: ReturnType<typeof refers>, path = 'clinics/:clinicId/slots') => {
    app.service('clinics/:clinicId/rooms', { get })
    app.service(path, new MemoryService(), around(hook))
  }
  const inSame = refers({
    roomId: { service: 'clinics/:clinicId/rooms', accepts: ({ clinicId }) => clinicId === '5' }
  })
  const send = (clinic: number) => read((app) => add(app, inSame), t, { roomId: 1 }, `/clinics/${clinic}/slots`)
  t.equal((await send(5)).status, 201)
  t.equal((await send(6)).status, 400)
  await t.rejects(
    createApp(t, (app) => add(app, inSame, 'slots')),
    {
      message: "refers({ roomId: 'clinics/:clinicId/rooms' }) at 'slots': the path has no placeholder ':clinicId'"
    }
  )
})

t.test('mistakes stop the start', async (t) => {
  const startWith = (hook: ReturnType<typeof refers>, type = 'around') =>
    createApp(t, (app) => {
      app.service('users', { find: async () => [] })
      app.service('slots', new MemoryService(), { hooks: { [type]: { all: [hook] } } })
    })
  await t.rejects(startWith(refers({ doctorId: 'user' })), {
    message: /^refers\(\{ doctorId: 'user' \}\) at 'slots': There is no service 'user'. Registered: .*/
  })
  await t.rejects(startWith(refers({ doctorId: 'users' })), {
    message: "refers({ doctorId: 'users' }) at 'slots' needs a method 'get' of that service"
  })
  await t.rejects(startWith(refers({ doctorId: 'users' }), 'before'), {
    message: "refers at 'slots' is a hook for 'around', not for 'before'"
  })
  await t.rejects(startWith(refers as never), /refers\(\{ doctorId: 'users' \}\)/)
  const wrong: [unknown, string][] = [
    [undefined, "refers needs fields with the names of other services: refers({ doctorId: 'users' }), got undefined"],
    ['users', "refers needs fields with the names of other services: refers({ doctorId: 'users' }), got a string"],
    [{}, "refers needs fields with the names of other services: refers({ doctorId: 'users' }), got an object"],
    [{ a: '' }, "refers needs the name of the other service: refers({ a: 'users' }), got an empty string"],
    [{ a: null }, "refers needs the name of the other service: refers({ a: 'users' }), got null"],
    [{ a: {} }, "refers needs the name of the other service: refers({ a: 'users' }), got an object"],
    [{ 'a.b': 'users' }, "refers can't have the field 'a.b': only fields of the record itself"],
    [
      { a: { service: 'users', accept: () => true } },
      "refers() has no option 'a.accept'. There are: a.service, a.accepts. Did you mean 'a.accepts'?"
    ],
    [
      { a: { service: 'users', accepts: { role: 'doctor' } } },
      'The option `a.accepts` of refers() must be a function, got an object'
    ]
  ]
  for (const [fields, message] of wrong) t.throws(() => refers(fields as never), { message }, message)
  t.throws(() => refers({ a: 'users' }, { intern: true } as never), /Did you mean 'internal'/)
})
