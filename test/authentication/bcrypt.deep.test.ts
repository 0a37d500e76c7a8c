import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MemoryService, memory } from '@feathersjs/memory'
import { Ajv, hooks as schemaHooks } from '@feathersjs/schema'
import { getValidator, querySyntax, Type } from '@feathersjs/typebox'
import bcryptjs from 'bcryptjs'
import type { Hook, HookContext, Id, Params } from 'fastify-services'
import t, { type Test } from 'tap'
import { bcryptHash, createUsers, isHashOf, type User } from '../support/auth-passwords.js'
import { toHash } from '../support/stored-password.js'
import { hashes } from '../support/users-app.js'

const withBcrypt = (bcrypt: boolean | { compare(password: string, hash: string): Promise<boolean> }) => ({
  options: {},
  authentication: { strategies: { jwt: true, local: { bcrypt } } }
})
const email = 'ada@example.com'

for (const [name, bcrypt] of [
  ['the peer bcryptjs', true],
  ['a library that is handed in', bcryptjs]
] as const)
  t.test(`bcrypt hashes verify through ${name}: $2a$, $2b$, $2y$`, async (t) => {
    const { users, login } = await createUsers(t, withBcrypt(bcrypt))
    for (const version of ['$2a$', '$2b$', '$2y$']) {
      const { id } = (await users.create({ email, password: bcryptHash.replace('$2b$', version) })) as { id: number }
      const { status, body } = await login(email, 'correct horse')
      t.strictSame([status, body.user], [201, { email, id }], version)
      t.equal((await login(email, 'wrong horse')).status, 401, version)
      t.equal((await login(email, bcryptHash)).status, 401, 'the hash is no password')
      await users.remove(id)
    }
    await users.create({ email, password: toHash('battery staple') })
    t.equal((await login(email, 'battery staple')).status, 201, 'hashes of scrypt verify too')
  })

t.test('a library that is handed in is asked with the password and the hash', async (t) => {
  const asked: unknown[] = []
  const compare = async (password: string, hash: string) => {
    asked.push([password, hash])
    return true
  }
  const { users, login } = await createUsers(t, withBcrypt({ compare }))
  await users.create({ email, password: bcryptHash })
  t.equal((await login(email, 'correct horse')).status, 201)
  t.strictSame(asked[0], ['correct horse', bcryptHash])
  t.equal((await login('bob@example.com', 'correct horse')).status, 401, 'its yes to no hash lets nobody in')
})

for (const bcrypt of [undefined, false])
  t.test(`without the option a bcrypt hash does not let in (bcrypt: ${bcrypt})`, async (t) => {
    const { users, login } = await createUsers(t, {
      options: {},
      authentication: { strategies: { local: bcrypt === undefined ? true : { bcrypt } } }
    })
    await users.create({ email, password: bcryptHash })
    t.match(await login(email, 'correct horse'), { status: 401, body: { message: 'Invalid login' } })
  })

const salted = bcryptHash.slice(0, 29)
const malformed = {
  'of version x': bcryptHash.replace('$2b$', '$2x$'),
  'of version c': bcryptHash.replace('$2b$', '$2c$'),
  'of cost 99': bcryptHash.replace('$04$', '$99$'),
  'of cost 32': bcryptHash.replace('$04$', '$32$'),
  'of cost 3': bcryptHash.replace('$04$', '$03$'),
  'of cost 0': bcryptHash.replace('$04$', '$00$'),
  'with a salt of underscores': `$2b$04$${'_'.repeat(53)}`,
  'with a hash of underscores': `${salted}${'_'.repeat(31)}`,
  'behind something else': `x${bcryptHash}`,
  'cut short': bcryptHash.slice(0, -1),
  'cut to its salt': salted,
  'with a line end': `${bcryptHash}\n`,
  'of the right length, and nothing else': '$'.repeat(60)
}

// All at the cost of the good one: what stands for no hash is costlier.
const cheap = async (password: string, hash: string) =>
  await bcryptjs.compare(password, hash.length === 60 ? hash.replace(/\$\d\d\$/, '$04$') : hash)

t.test('malformed hashes of bcrypt never let in, never are a 500, and change nothing for others', async (t) => {
  const { users, login } = await createUsers(t, withBcrypt({ compare: cheap }))
  for (const [name, password] of Object.entries(malformed)) {
    const { id } = (await users.create({ email, password })) as { id: number }
    for (const who of [email, 'nobody@example.com']) {
      const { status, body } = await login(who, 'correct horse')
      t.strictSame([status, body.message], [401, 'Invalid login'], `a hash ${name}: ${who}`)
    }
    await users.remove(id)
  }
  await users.create({ email, password: bcryptHash })
  t.equal((await login(email, 'correct horse')).status, 201)
})

const script = fileURLToPath(new URL('../support/auth-passwords-missing.js', import.meta.url))

t.test('bcrypt where the optional peer is not installed: the server does not start, and says what to do', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  const { wanted, handedIn, not } = JSON.parse(stdout)
  t.strictSame(wanted, {
    message: 'The option `bcrypt` of the strategy local needs a library: npm install bcryptjs',
    cause: "Cannot find package 'bcryptjs'"
  })
  t.equal(handedIn, 'started', 'a library that is handed in does instead')
  t.equal(not, 'started', 'who does not want it does not need it')
})

t.test('a library without `compare` keeps the server from starting, with what to do', async (t) => {
  for (const bcrypt of [{}, 'bcryptjs', { hash: async () => '' }]) {
    const { app } = await createUsers(t, {
      options: {},
      authentication: { strategies: { local: { bcrypt: bcrypt as never } } }
    })
    await t.rejects(async () => void (await app.ready()), { message: /bcrypt.*compare/ }, JSON.stringify(bcrypt))
  }
})

const current = /^\$scrypt\$ln=14,r=8,p=5\$/
const authentication = { strategies: { jwt: true, local: { bcrypt: true, rehash: true } } }

/** Users whose service counts its patches, and what is logged. */
async function createRehashing(t: Test, password: string, patch: (context: HookContext) => unknown = () => {}) {
  const lines: string[] = []
  const patches: { data: unknown; params: object; id: unknown }[] = []
  const seen = (context: HookContext) => {
    const { id, data, params } = context
    patches.push({ id, data, params })
    return patch(context)
  }
  const { users, login } = await createUsers(t, {
    object: memory({ startId: 1, multi: true }),
    options: { hooks: { before: { ...hashes, create: [], patch: [...hashes.patch, seen] } } },
    authentication,
    server: { logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } }
  })
  await users.create({ email, name: 'Ada', password })
  const stored = async () => ((await users.get(1)) as User).password as string
  return { users, login, patches, lines, stored }
}

t.test('`rehash: true` replaces a hash of bcrypt by one of scrypt, by patch, and does not hash twice', async (t) => {
  const { users, login, patches, stored, lines } = await createRehashing(t, bcryptHash)
  t.equal((await login(email, 'wrong horse')).status, 401)
  t.equal(patches.length, 0, 'not on a wrong password')
  t.equal((await login(email, 'correct horse')).status, 201)
  t.match(await stored(), current)
  t.ok(isHashOf(await stored(), 'correct horse'), 'of the password, not of its hash')
  t.strictSame(await users.get(1), { email, name: 'Ada', password: await stored(), id: 1 }, 'nothing else has changed')
  t.match(patches, { length: 1, 0: { id: 1, data: { password: current }, params: { provider: undefined } } })
  t.strictSame(Object.keys(patches[0]?.data as object), ['password'])

  t.equal((await login(email, 'correct horse')).status, 201, 'a login by the new hash')
  t.equal(patches.length, 1, 'which stays')
  t.strictSame(lines, [])
})

t.test('`rehash: true` replaces a hash of scrypt with other parameters', async (t) => {
  const { login, stored } = await createRehashing(t, toHash('correct horse'))
  t.equal((await login(email, 'correct horse')).status, 201)
  t.match(await stored(), current)
  t.ok(isHashOf(await stored(), 'correct horse'))
})

t.test(
  '`rehash: true` replaces a hash of users whose hooks validate queries, as the Feathers CLI writes them',
  async (t) => {
    const user = Type.Object({ id: Type.Number(), email: Type.String(), password: Type.String() })
    const syntax = querySyntax(Type.Pick(user, ['id', 'email']))
    const schema = Type.Intersect([syntax, Type.Object({}, { additionalProperties: false })], {
      additionalProperties: false
    })
    const dropSymbols = ({ params }: HookContext) => ({ params: Object.fromEntries(Object.entries(params)) })
    for (const [name, hook] of [
      ['validateQuery', schemaHooks.validateQuery(getValidator(schema, new Ajv({ coerceTypes: true }))) as Hook],
      ['a hook that replaces params', dropSymbols as Hook]
    ] as const) {
      const lines: string[] = []
      const queries: unknown[] = []
      const object = new MemoryService<User>({ startId: 1 })
      const patch = object.patch.bind(object) as (id: Id, data: User, params: Params) => Promise<User>
      Object.assign(object, {
        patch: (id: Id, data: User, params: Params) => {
          queries.push(params.query)
          return patch(id, data, params)
        }
      })
      const { users, login } = await createUsers(t, {
        object,
        options: { hooks: { before: { all: [hook] } } },
        authentication,
        server: { logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } }
      })
      await users.create({ email, password: bcryptHash })
      t.equal((await login(email, 'correct horse')).status, 201, name)
      t.ok(isHashOf(((await users.get(1)) as User).password as string, 'correct horse'), name)
      t.strictSame(queries, [{ password: bcryptHash }], 'only the hash that was compared is replaced')
      t.strictSame(lines, [])
    }
  }
)

t.test('`rehash: true`: a hook that writes in the place of the method has the condition', async (t) => {
  const object = new MemoryService<User>({ startId: 1 })
  const queries: unknown[] = []
  const write: Hook = async (context) => {
    queries.push(context.params.query)
    context.result = (await object._patch(context.id as Id, context.data as User, context.params as never)) as never
  }
  const { users, login } = await createUsers(t, {
    object,
    options: { hooks: { before: { patch: [write] } } },
    authentication
  })
  await users.create({ email, password: bcryptHash })
  t.equal((await login(email, 'correct horse')).status, 201)
  t.strictSame(queries, [{ password: bcryptHash }])
})

t.test('`rehash: true`: a patch that fails is logged, and the login succeeds', async (t) => {
  const { login, stored, lines } = await createRehashing(t, bcryptHash, () => {
    throw new Error('The disk is full')
  })
  const { status, body } = await login(email, 'correct horse')
  t.strictSame([status, body.user], [201, { email, name: 'Ada', id: 1 }])
  t.equal(await stored(), bcryptHash)
  t.equal(lines.length, 1)
  t.match(JSON.parse(String(lines[0])), {
    msg: 'The hash of a password could not be replaced',
    err: { message: 'The disk is full' }
  })
  t.notMatch(lines[0], /\$2b\$|\$scrypt\$|correct horse/, 'no hash in the log')
})

t.test('`rehash: true`: users without patch are logged in all the same', async (t) => {
  const object = { find: async () => [{ id: 1, email, password: bcryptHash }], get: async () => ({ id: 1, email }) }
  const { login } = await createUsers(t, { object, options: {}, authentication })
  t.equal((await login(email, 'correct horse')).status, 201)
})

t.test('without `rehash` a hash stays what it is', async (t) => {
  const { users, login } = await createUsers(t, {
    options: {},
    authentication: { strategies: { jwt: true, local: { bcrypt: true } } }
  })
  await users.create({ email, password: bcryptHash })
  t.equal((await login(email, 'correct horse')).status, 201)
  t.equal(((await users.get(1)) as User).password, bcryptHash)
})
