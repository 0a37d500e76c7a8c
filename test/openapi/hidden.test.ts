import { resource } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { documentOf } from './app.js'

t.test('fields that the hook protect keeps are in no result and in no query', async (t) => {
  const text = { type: 'string' }
  const deep = { type: 'object', required: ['password'], properties: { city: text, password: text } }
  // What is not the name of a field may be any word.
  const $defs = { password: text }
  const user = {
    title: 'User',
    type: 'object',
    required: ['id', 'password'],
    properties: {
      id: { type: 'integer' },
      email: text,
      password: text,
      deep,
      list: { type: 'array', items: deep },
      hint: { $ref: '#/$defs/password' }
    },
    $defs
  }
  const find = async () => []
  const { paths, components } = await documentOf(t, (app) =>
    app.service(
      'users',
      { find, create: async (data: object) => data },
      { schema: resource(user) as object, hooks: { around: { all: [protect('password')] } } }
    )
  )
  const { User, UserData } = components.schemas
  t.notMatch(JSON.stringify(User), 'password')
  t.strictSame(User.required, ['id'])
  t.notOk('required' in User.properties.deep)
  t.ok(UserData.properties.password, 'a body has it')
  t.notMatch(JSON.stringify(components.parameters), 'password')
  t.strictSame(components.parameters.UserQuerySelect.schema.items.enum, ['id', 'email', 'deep', 'list', 'hint'])
  t.ok(paths['/users'].get)
  const querystring = { type: 'object', properties: { $select: { type: 'string' }, password: text } }
  const ofOwner = await documentOf(t, (app) =>
    app.service(
      'users',
      { find },
      { schema: { find: { querystring } }, hooks: { around: { all: [protect('password')] } } }
    )
  )
  t.strictSame(Object.keys(ofOwner.components.parameters), ['UsersQuerySelect'])
})
