import { memory } from '@feathersjs/memory'
import type { HookContext } from 'fastify-services'
import authentication, { hashPassword } from 'fastify-services/authentication'
import t from 'tap'
import { isHashed } from '../../lib/authentication/password.js'
import { traitsOf } from '../../lib/core/hooks.js'
import { createUsers } from '../support/auth-passwords.js'
import { isKept } from '../support/kept.js'
import { byOutcome, outcomeOf, tame } from './outcomes.js'
import { noted, values } from './password-values.js'

t.test('hashPassword', async (t) => {
  const { app } = await createUsers(t, { object: memory({ multi: true }) })
  noted()
  const hook = hashPassword('password')
  const hash = async (data: unknown, params: object = { provider: 'rest' }) => {
    noted()
    const context = { app, params, data } as unknown as HookContext
    await hook(context)
    const hashed = noted()
    return JSON.stringify([
      hashed.length > 3 ? [context.data].flat().length : tame(context.data),
      hashed.slice(0, 3),
      hashed.length
    ])
  }
  const list = (length: number, of: unknown = { password: 'x' }) => Array(length).fill(of)
  const shapes: Record<string, unknown> = {
    undefined: undefined,
    null: null,
    text: 'password',
    number: 5,
    'no field': { a: 1 },
    'an empty list': [],
    inherited: Object.create({ password: 'x' }),
    more: { a: 1, password: 'x', b: [2] },
    'a list': [{ a: 1, password: 'xy' }, { b: 2 }, { password: 'xyz' }],
    'a list of nothing': [null, 5, undefined],
    'a list with a bad one': [{ password: 'x' }, { password: '' }],
    '50 and more without': [...list(50), ...list(5, { a: 1 })],
    '51': list(51),
    '51 that are null': list(51, { password: null })
  }
  const kept: Record<string, unknown> = {
    misuse: await byOutcome(
      { none: undefined, empty: '', number: 5, list: ['password'], one: 'x' },
      (field) => typeof (hashPassword as (field: unknown) => unknown)(field)
    ),
    types: await byOutcome(
      { before: 'before', around: 'around', after: 'after', error: 'error', none: undefined },
      (type) => traitsOf(hook).check?.({ app, path: 'here', type: type as 'before' })
    ),
    'without authentication': await outcomeOf(() => traitsOf(hook).check?.({ app: {}, path: 'here', type: 'before' })),
    values: await byOutcome(values, (password) => hash({ password })),
    shapes: await byOutcome(shapes, (data) => hash(data)),
    'of the server': await byOutcome({ 51: list(51) }, async (data) => JSON.parse(await hash(data, {}))[2]),
    'a hash': await hash({ password: 'x' }, { [isHashed]: true })
  }
  const { errors } = (await hook({ app, params: {}, data: { password: 5 } } as unknown as HookContext).catch(
    (error) => error
  )) as { errors: object }
  let nexts = 0
  await hook({ app, params: {}, data: {} } as unknown as HookContext, async () => void nexts++)
  await hook({ app, params: { [isHashed]: true }, data: {} } as unknown as HookContext, async () => void nexts++)
  isKept(t, { ...kept, errors, nexts, plugin: typeof authentication }, 'test/authentication/whole-hash-password.txt')
})
