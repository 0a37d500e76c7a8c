import { Ajv, getValidator, hooks, querySyntax, resolve, virtual } from '@feathersjs/schema'

const schema = {
  $id: 'Note',
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: { text: { type: 'string', minLength: 1 }, userId: { type: 'number' } }
}
const querySchema = {
  $id: 'NoteQuery',
  type: 'object',
  additionalProperties: false,
  properties: querySyntax({ id: { type: 'number' }, text: { type: 'string' }, userId: { type: 'number' } })
}
const data = getValidator(schema, new Ajv())
const query = getValidator(querySchema, new Ajv({ coerceTypes: true }))
const list = (notes) => notes.map(({ id }) => id)

/** Validators and resolvers as hooks, of all types that they may have. */
export async function run(t) {
  const on = t.hook.bind(t)
  await on(
    'validateData',
    { before: { create: [hooks.validateData(data)] } },
    async ({ send }) => [
      (await send('POST', 'notes', { text: 'a' }))[0],
      (await send('POST', 'notes', { text: '' }))[1].data[0].instancePath,
      (await send('POST', 'notes', [{ text: 'a' }, { txt: 1 }]))[0]
    ],
    [201, '/text', 400]
  )
  await on(
    'validateData, as an around hook',
    { around: { create: [hooks.validateData(data)] } },
    async ({ send }) => (await send('POST', 'notes', { txt: 1 }))[0],
    400
  )
  await on(
    'validateQuery',
    { before: { all: [hooks.validateQuery(query)] } },
    async ({ send }) => [
      list((await send('GET', 'notes?id[$gt]=1&$sort[id]=-1'))[1]),
      (await send('GET', 'notes?nobody=1'))[0]
    ],
    [[3, 2], 400]
  )
  await on(
    'resolveData',
    {
      before: {
        create: [
          hooks.resolveData(
            resolve({ text: async (text) => text.trim(), by: virtual(async (_note, { params }) => params.provider) })
          )
        ]
      }
    },
    ({ send }) => send('POST', 'notes', { text: ' a ' }),
    [201, { text: 'a', by: 'rest', id: 4 }]
  )
  await on(
    'resolveData of many',
    { around: { create: [hooks.resolveData(resolve({ text: async (text) => text.trim() }))] } },
    async ({ notes }) => notes.create([{ text: ' a' }, { text: 'b ' }]),
    [
      { text: 'a', id: 4 },
      { text: 'b', id: 5 }
    ]
  )
  await on(
    'resolveQuery',
    {
      around: { all: [hooks.resolveQuery(resolve({ userId: async (_value, _query, { params }) => params.user?.id }))] }
    },
    async ({ notes }) => list(await notes.find({ user: { id: 2 }, query: {} })),
    [2]
  )
  await on(
    'resolveResult',
    {
      around: {
        all: [
          hooks.resolveResult(
            resolve({ user: virtual(async ({ userId }, { app }) => (await app.service('users').get(userId)).name) })
          )
        ]
      }
    },
    async ({ send }) => (await send('GET', 'notes'))[1].map(({ user }) => user),
    ['Ada', 'Bob', 'Ada']
  )
  await on(
    'resolveExternal',
    {
      around: { all: [hooks.resolveExternal(resolve({ userId: async () => undefined, tags: async () => undefined }))] }
    },
    async ({ notes, send }) => [(await notes.get(1)).userId, await send('GET', 'notes/1')],
    [1, [200, { id: 1, text: 'a' }]]
  )
  await on(
    'records of others, without what they keep inside',
    {
      around: {
        get: [
          hooks.resolveExternal(resolve({ tags: async () => undefined })),
          hooks.resolveResult(resolve({ user: virtual(({ userId }, { app }) => app.service('users').get(userId)) }))
        ]
      }
    },
    ({ send }) => send('GET', 'notes/2'),
    [200, { id: 2, text: 'b', userId: 2, user: { id: 2, name: 'Bob', password: 't' } }]
  )
  await on(
    'resolveAll',
    {
      around: {
        all: [
          hooks.resolveAll({
            data: { create: resolve({ text: async (text) => text.trim() }) },
            result: resolve({ path: virtual(async (_note, { path }) => path) }),
            dispatch: resolve({ userId: async () => undefined })
          })
        ]
      }
    },
    ({ send }) => send('POST', 'notes', { text: ' a ', userId: 1 }),
    [201, { text: 'a', id: 4, path: 'notes' }]
  )
  await on(
    'a resolver that fails',
    {
      around: {
        create: [
          hooks.resolveData(
            resolve({
              text: async () => {
                throw new Error('No')
              }
            })
          )
        ]
      }
    },
    async ({ send }) => {
      const [status, { message }] = await send('POST', 'notes', { text: 'a' })
      return [status, message]
    },
    [400, 'Error resolving data']
  )
}
