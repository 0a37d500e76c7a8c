import type { HookContext } from 'fastify-services'
import { BadRequest, GeneralError, NotAuthenticated, ServiceError } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { outcomeOf, toldBy } from './outcomes.js'
import { fail, getter, hook, own, thrown } from './protected-values.js'

class Told extends BadRequest {
  override toJSON() {
    return { ...super.toJSON(), more: own, secret: 's' }
  }
}
const errors: Record<string, unknown> = {
  ...{ undefined: undefined, null: null, 'a text': 'secret', 'an error': new Error('no'), ours: new BadRequest('no') },
  data: new BadRequest('no', own),
  'data without': new BadRequest('no', { a: 1 }),
  'a list of data': new BadRequest('no', [own] as never),
  errors: new BadRequest('no', { errors: { secret: 'x', a: own } }),
  'errors without': new BadRequest('no', { errors: { a: 'x' } }),
  'a list of errors': new NotAuthenticated('no', { errors: [own, { field: 'secret' }] as never, secret: 1 }),
  both: new GeneralError('no', { ...own, errors: { PIN: [own] } }),
  validation: thrown(new Error('no'), { statusCode: 400, validation: [{ secret: 1, a: 1 }] }),
  'errors of a text': thrown(new BadRequest('no'), { errors: 'secret' }),
  'plain data': thrown(new Error('no'), { data: own }),
  'plain data without': thrown(new Error('no'), { data: { a: 1 } }),
  'data of null': thrown(new Error('no'), { data: null }),
  'data that throws': getter('data', fail, new Error('no')),
  'data of a getter': getter('data', () => ({ a: 1 }), new Error('no')),
  proxy: new Proxy(new BadRequest('no'), {}),
  'data that can not be read': thrown(new Error('no'), { data: getter('a', fail) }),
  'errors that can not': thrown(new Error('no'), { errors: { a: getter('b', fail), c: 1 } }),
  toJSON: new Told('no', { a: 1 }),
  'toJSON that throws': thrown(new Error('no'), { toJSON: fail }),
  'toJSON of nothing': thrown(new Error('no'), { toJSON: () => null }),
  'toJSON of fields': thrown(new Error('no'), {
    toJSON: () => ({ name: own, secret: 1, data: own, errors: { secret: own } })
  }),
  'names in data': new BadRequest('no', { name: 'x', a: { code: 1, b: 2 } }),
  'a record': { ...own, data: own },
  'a status of its own': new ServiceError('no', 'Locked', 423, own),
  'toJSON that is none': thrown(new Error('no'), { toJSON: 5, data: own })
}

t.test('what of an error leaves', async (t) => {
  const table: Record<string, unknown> = {}
  const envelope = protect('name', 'message', 'data', 'errors', 'code')
  for (const [name, error] of Object.entries(errors)) {
    const show = async (guard: typeof hook, provider?: string) => {
      const context = { params: { provider } } as unknown as HookContext
      const told = await guard(context, () => Promise.reject(error)).catch((thrown) => thrown)
      if (Object.is(told, error)) return 'the same'
      const { data, errors, validation } = told
      const isOne = error instanceof Error ? told instanceof error.constructor : told instanceof Error
      return {
        ...(error instanceof Error && { as: toldBy(told) }),
        isOne,
        data,
        errors,
        validation,
        json: typeof told.toJSON === 'function' ? told.toJSON() : told.toJSON
      }
    }
    table[name] = await outcomeOf(() => show(hook, 'rest'))
    table[`${name}, fields of all errors`] = await outcomeOf(() => show(envelope, 'rest'))
    t.equal(await show(hook), 'the same', name)
  }
  isKept(t, table, 'test/authentication/whole-protected-errors.txt')
})
