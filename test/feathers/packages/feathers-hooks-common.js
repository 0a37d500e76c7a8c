import Ajv from 'ajv'
import * as common from 'feathers-hooks-common'
import { parse } from 'graphql'

/** A key of a database. */
class Key {
  constructor(text) {
    this.value = Number(text)
  }
}

const list = (records) => records.map(({ id }) => id)

/** Each hook and helper that the package exports. */
export async function run(t) {
  const { hook } = t
  const on = hook.bind(t)
  const create = (data) => async ({ notes }) => notes.create(data)

  await on('actOnDefault', { after: { get: [common.actOnDefault(common.discard('tags', 'userId'))] } },
    ({ notes }) => notes.get(1), { id: 1, text: 'a' })
  await on('actOnDispatch',
    { after: { get: [(context) => void (context.dispatch = { ...context.result }), common.actOnDispatch(common.discard('tags', 'userId'))] } },
    async ({ notes, send }) => [Object.keys(await notes.get(1)), await send('GET', 'notes/1')],
    [['id', 'text', 'userId', 'tags'], [200, { id: 1, text: 'a' }]])
  await on('alterItems', { after: { find: [common.alterItems((note, { path }) => void (note.path = path))] } },
    async ({ notes }) => (await notes.find()).map(({ path }) => path), ['notes', 'notes', 'notes'])
  const cached = new Map()
  let reads = 0
  await on('cache',
    { before: { all: [common.cache(cached)], get: [(context) => void (context.result === undefined && reads++)] }, after: { all: [common.cache(cached)] } },
    async ({ notes }) => {
      cached.clear()
      reads = 0
      await notes.get(1)
      const again = await notes.get(1)
      await notes.patch(1, { text: 'z' })
      return [again.text, reads, (await notes.get(1)).text, [...cached.keys()]]
    }, ['a', 1, 'z', [1]])
  await on('callingParams', { before: { get: [(context) => void (context.params = { ...context.params, mine: common.callingParams({ query: { a: 1 }, propNames: ['provider'] })(context) })] }, after: { get: [(context) => void (context.result = context.params.mine)] } },
    ({ send }) => send('GET', 'notes/1'), [200, { query: { a: 1 }, provider: 'rest' }])
  await on('makeCallingParams', { after: { get: [(context) => void (context.result = common.makeCallingParams(context, { a: 1 }, [], { more: 2 }))] } },
    ({ notes }) => notes.get(1, { user: { id: 5 } }), { query: { a: 1 }, _populate: 'skip', more: 2 })
  await on('checkContext', { before: { get: [(context) => common.checkContext(context, 'before', 'find', 'mine')] } },
    ({ notes }) => notes.get(1), { error: 'Error' })
  await on('checkContextIf', { before: { get: [(context) => common.checkContextIf(context, 'before', ['find'], 'mine')] } },
    ({ notes }) => notes.get(1), { error: 'Error' })
  await on('combine', { before: { create: [common.combine(common.setField({ from: 'path', as: 'data.path' }), common.lowerCase('text'))] } },
    create({ text: 'HI' }), { text: 'hi', path: 'notes', id: 4 })
  await on('debug', { before: { get: [common.debug('note', 'id')] } }, async ({ notes }) => {
    const { log } = console
    const lines = []
    console.log = (...args) => lines.push(String(args[0]))
    try {
      await notes.get(1)
    } finally {
      console.log = log
    }
    return lines.some((line) => line.includes("before service('notes').get()"))
  }, true)
  await on('dePopulate', { before: { create: [common.dePopulate()] } },
    create({ text: 'a', more: 1, _include: ['more'], _elapsed: 1, _computed: [] }), { text: 'a', id: 4 })
  await on('disablePagination', { before: { find: [common.disablePagination()] } },
    async ({ notes, send }) => [list(await notes.find({ query: { $limit: -1 } })), list((await send('GET', 'notes?$limit=-1'))[1])],
    [[1, 2, 3], [1, 2, 3]])
  await on('disallow', { before: { create: [common.disallow('external')], patch: [common.disallow('server')], remove: [common.disallow()] } },
    async ({ notes, send }) => {
      const outcome = (promise) => promise.then(() => 'ok', ({ code }) => code)
      return [(await send('POST', 'notes', { text: 'a' }))[0], await outcome(notes.create({})), (await send('PATCH', 'notes/1', {}))[0], await outcome(notes.patch(1, {})), await outcome(notes.remove(1))]
    }, [405, 'ok', 200, 405, 405])
  await on('discard', { after: { all: [common.discard('tags', 'userId')] } },
    async ({ notes, send }) => [await notes.find({ query: { id: 1 } }), await send('GET', 'notes/2')],
    [[{ id: 1, text: 'a' }], [200, { id: 2, text: 'b' }]])
  await on('discardQuery', { before: { find: [common.discardQuery('text')] } },
    async ({ send }) => list((await send('GET', 'notes?text=zzz'))[1]), [1, 2, 3])
  const answers = []
  await on('every', { before: { get: [common.iff(common.every(() => true, common.isProvider('rest')), (context) => void (context.id = 2))] } },
    async ({ notes, send }) => [(await notes.get(1)).id, (await send('GET', 'notes/1'))[1].id], [1, 2])
  await on('fastJoin', { after: { all: [common.fastJoin((context) => ({ joins: { user: () => async (note) => { note.user = await context.app.service('users').get(note.userId) } } }))] } },
    async ({ notes }) => (await notes.find()).map(({ user }) => user.name), ['Ada', 'Bob', 'Ada'])
  await on('fgraphql', { after: { all: [common.fgraphql({
    parse, runTime: {}, recordType: 'Note', schema: 'type Note { id: ID text: String user: User } type User { id: ID name: String }',
    resolvers: (app) => ({ Note: { user: (note, _args, content) => content.app.service('users').get(note.userId) }, User: {}, app }),
    query: { text: 1, user: { name: 1 } }
  })] } }, async ({ notes }) => { const { text, user } = await notes.get(2); return [text, user] }, ['b', { name: 'Bob' }])
  await on('getItems', { after: { find: [(context) => void (context.result = list(common.getItems(context)))] } }, ({ notes }) => notes.find(), [1, 2, 3])
  await on('iff', { before: { create: [common.iff(common.isProvider('external'), common.setNow('at')).else(common.discard('text'))] } },
    async ({ notes, send }) => [await notes.create({ text: 'a' }), typeof (await send('POST', 'notes', { text: 'b' }))[1].at], [{ id: 4 }, 'string'])
  await on('iffElse', { before: { get: [common.iffElse(({ id }) => id === 1, [(context) => void (context.id = 2)], [(context) => void (context.id = 3)])] } },
    async ({ notes }) => list([await notes.get(1), await notes.get(2)]), [2, 3])
  await on('isNot', { before: { get: [common.iff(common.isNot(common.isProvider('rest')), (context) => void (context.id = 3))] } },
    async ({ notes, send }) => [(await notes.get(1)).id, (await send('GET', 'notes/1'))[1].id], [3, 1])
  await on('isProvider', { before: { get: [(context) => void answers.push(...['server', 'external', 'rest', 'socketio'].filter((name) => common.isProvider(name)(context)))] } },
    async ({ notes, send }) => { answers.length = 0; await notes.get(1); await send('GET', 'notes/1'); return answers }, ['server', 'external', 'rest'])
  await on('keep', { after: { all: [common.keep('id', 'text')] } }, ({ send }) => send('GET', 'notes/1'), [200, { id: 1, text: 'a' }])
  await on('keepInArray', { after: { get: [common.keepInArray('tags', ['name'])] } }, async ({ notes }) => (await notes.get(1)).tags, [{ name: 'x' }])
  await on('keepQuery', { before: { find: [common.keepQuery('text')] } }, async ({ send }) => list((await send('GET', 'notes?text=b&userId=9'))[1]), [2])
  await on('keepQueryInArray', { before: { find: [(context) => void (context.query = context.params.query), common.keepQueryInArray('$and', ['text'])] } },
    async ({ notes }) => list(await notes.find({ query: { $and: [{ text: 'b', userId: 9 }] } })), [2])
  await on('lowerCase', { before: { create: [common.lowerCase('text')] } }, create([{ text: 'A' }, { text: 'B' }]), [{ text: 'a', id: 4 }, { text: 'b', id: 5 }])
  await on('mongoKeys', { before: { find: [common.mongoKeys(Key, ['userId']), ({ params }) => void (params.query.userId = params.query.userId.value)] } }, async ({ send }) => list((await send('GET', 'notes?userId=1'))[1]), [1, 3])
  await on('paramsForServer', { after: { get: [(context) => void (context.result = common.paramsForServer({ query: { a: 1 }, more: 2 }, 'more'))] } },
    ({ notes }) => notes.get(1), { query: { a: 1, $client: { more: 2 } } })
  await on('paramsFromClient', { before: { find: [common.paramsFromClient('more')] }, after: { find: [(context) => void (context.result = [context.params.more ?? null, context.params.query])] } },
    ({ send }) => send('GET', 'notes?$client[more]=2&text=a'), [200, ['2', { text: 'a' }]])
  await on('populate', { after: { all: [common.populate({ schema: { include: { service: 'users', nameAs: 'user', parentField: 'userId', childField: 'id' } } })] } },
    async ({ notes }) => (await notes.find()).map(({ user }) => user.name), ['Ada', 'Bob', 'Ada'])
  await on('preventChanges', { before: { patch: [common.preventChanges(true, 'userId')] } },
    async ({ send }) => [(await send('PATCH', 'notes/1', { userId: 2 }))[0], (await send('PATCH', 'notes/1', { text: 'z' }))[0]], [400, 200])
  await on('replaceItems', { after: { find: [(context) => common.replaceItems(context, [{ id: 9 }])] } }, ({ notes }) => notes.find(), [{ id: 9 }])
  await on('required', { before: { create: [common.required('text')] } }, async ({ send }) => (await send('POST', 'notes', { a: 1 }))[0], 400)
  await on('runHook', {}, async ({ notes }) => { const result = await common.runHook({ result: await notes.find(), type: 'after' })(common.keep('id'))(await notes.find()); return result }, [{ id: 1 }, { id: 2 }, { id: 3 }])
  let parallel
  await on('runParallel', { before: { get: [common.runParallel((context) => void parallel(context.path))] } },
    ({ notes }) => new Promise((resolve, reject) => { parallel = resolve; notes.get(1).catch(reject) }), 'notes')
  await on('sequelizeConvert', { before: { create: [common.sequelizeConvert({ done: 'boolean' })] }, after: { create: [(context) => void (context.result = context.data)] } }, create({ done: true }), { done: 1 })
  await on('serialize', { after: { get: [common.serialize({ only: ['id'], computed: { path: (_note, { path }) => path } })] } }, ({ notes }) => notes.get(1), { id: 1, path: 'notes', _computed: ['path'] })
  await on('setField', { before: { find: [common.setField({ from: 'params.user.id', as: 'params.query.userId' })] } }, async ({ notes }) => list(await notes.find({ user: { id: 2 } })), [2])
  await on('setNow', { before: { create: [common.setNow('at')] } }, async ({ notes }) => Number(new Date((await notes.create({})).at)) > 0, true)
  await t.check('setSlug', async (side) => {
    side.use('users/:userId/slugs', { find: async ({ query }) => query }, { hooks: { before: { find: [common.setSlug('userId')] } } })
    const base = await side.listen()
    return (await fetch(`${base}/users/7/slugs`, { headers: { accept: 'application/json' } })).json()
  }, { userId: '7' })
  await on('sifter', { after: { find: [common.sifter(() => ({ id }) => id > 1)] } }, async ({ notes }) => list(await notes.find()), [2, 3])
  await on('softDelete', { before: { all: [common.softDelete()] } }, async ({ notes, send }) => {
    await send('DELETE', 'notes/1')
    return [list(await notes.find()), (await send('GET', 'notes/1'))[0], list(await notes.find({ disableSoftDelete: true }))]
  }, [[2, 3], 404, [1, 2, 3]])
  await on('some', { before: { get: [common.iff(common.some(() => false, common.isProvider('rest')), (context) => void (context.id = 2))] } },
    async ({ notes, send }) => [(await notes.get(1)).id, (await send('GET', 'notes/1'))[1].id], [1, 2])
  await on('stashBefore', { before: { patch: [common.stashBefore()] }, after: { patch: [(context) => void (context.result.was = context.params.before.text)] } },
    async ({ send }) => (await send('PATCH', 'notes/1', { text: 'z' }))[1].was, 'a')
  await on('traverse', { before: { create: [common.traverse(function (value) { if (typeof value === 'string') this.update(value.trim()) })] } }, create({ text: ' a ', more: { text: ' b ' } }), { text: 'a', more: { text: 'b' }, id: 4 })
  await on('unless', { before: { get: [common.unless(common.isProvider('server'), (context) => void (context.id = 2))] } },
    async ({ notes, send }) => [(await notes.get(1)).id, (await send('GET', 'notes/1'))[1].id], [1, 2])
  await on('validate', { before: { create: [common.validate(({ text }) => (text ? undefined : { text: 'is missing' }))] } },
    async ({ send }) => { const [status, { errors }] = await send('POST', 'notes', { a: 1 }); return [status, errors] }, [400, { text: 'is missing' }])
  await on('validateSchema', { before: { create: [common.validateSchema({ type: 'object', required: ['text'] }, Ajv)] } },
    async ({ send }) => { const [status, { errors }] = await send('POST', 'notes', { a: 1 }); return [status, errors] }, [400, ["must have required property 'text'"]])
  await on('when', { before: { get: [common.when(({ id }) => id === 1, (context) => void (context.id = 2))] } }, async ({ notes }) => (await notes.get(1)).id, 2)
}
