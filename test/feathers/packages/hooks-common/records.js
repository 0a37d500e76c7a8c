import Ajv from 'ajv'
import * as common from 'feathers-hooks-common'
import { set } from '../serve.js'

const create =
  (data) =>
  async ({ notes }) =>
    notes.create(data)

/** Hooks that change and check the fields of records. */
export async function records(t) {
  const on = t.hook.bind(t)
  await on(
    'discard',
    { after: { all: [common.discard('tags', 'userId')] } },
    async ({ notes, send }) => [await notes.find({ query: { id: 1 } }), await send('GET', 'notes/2')],
    [[{ id: 1, text: 'a' }], [200, { id: 2, text: 'b' }]]
  )
  await on('keep', { after: { all: [common.keep('id', 'text')] } }, ({ send }) => send('GET', 'notes/1'), [
    200,
    { id: 1, text: 'a' }
  ])
  await on(
    'keepInArray',
    { after: { get: [common.keepInArray('tags', ['name'])] } },
    async ({ notes }) => (await notes.get(1)).tags,
    [{ name: 'x' }]
  )
  await on('lowerCase', { before: { create: [common.lowerCase('text')] } }, create([{ text: 'A' }, { text: 'B' }]), [
    { text: 'a', id: 4 },
    { text: 'b', id: 5 }
  ])
  await on(
    'preventChanges',
    { before: { patch: [common.preventChanges(true, 'userId')] } },
    async ({ send }) => [
      (await send('PATCH', 'notes/1', { userId: 2 }))[0],
      (await send('PATCH', 'notes/1', { text: 'z' }))[0]
    ],
    [400, 200]
  )
  await on(
    'required',
    { before: { create: [common.required('text')] } },
    async ({ send }) => (await send('POST', 'notes', { a: 1 }))[0],
    400
  )
  await on(
    'sequelizeConvert',
    {
      before: { create: [common.sequelizeConvert({ done: 'boolean' })] },
      after: { create: [set('result', (context) => context.data)] }
    },
    create({ done: true }),
    { done: 1 }
  )
  await on(
    'setNow',
    { before: { create: [common.setNow('at')] } },
    async ({ notes }) => Number(new Date((await notes.create({})).at)) > 0,
    true
  )
  await on(
    'validate',
    { before: { create: [common.validate(({ text }) => (text ? undefined : { text: 'is missing' }))] } },
    async ({ send }) => {
      const [status, { errors }] = await send('POST', 'notes', { a: 1 })
      return [status, errors]
    },
    [400, { text: 'is missing' }]
  )
  await on(
    'validateSchema',
    { before: { create: [common.validateSchema({ type: 'object', required: ['text'] }, Ajv)] } },
    async ({ send }) => {
      const [status, { errors }] = await send('POST', 'notes', { a: 1 })
      return [status, errors]
    },
    [400, ["must have required property 'text'"]]
  )
}
