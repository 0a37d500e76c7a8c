import '../support/auth-scrypt.js'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import services from 'fastify-services'
import { emailVerification, passwordChange, passwordReset } from 'fastify-services/accounts'
import authentication from 'fastify-services/authentication'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'
import { secret } from '../support/tokens.js'

interface Operation {
  summary: string
  security: object[]
  requestBody: { content: { 'application/json': { schema: { $ref: string } } } }
  responses: object
}

t.test('documents show the services with their bodies, and who may call', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Accounts', version: '1.0.0' } }))
  await app.register(services)
  app.service('users', memory({ startId: 1 }))
  await app.register(authentication, { secret, guard: 'jwt' })
  await app.register(rateLimit, { global: false })
  const options = { send: () => {} }
  await app.register(passwordReset, options)
  await app.register(emailVerification, options)
  await app.register(passwordChange)
  await app.ready()
  const document = app.swagger() as unknown as {
    paths: Record<string, { post: Operation }>
    components: { schemas: Record<string, { required: string[]; properties: object }> }
  }
  t.match(await new Validator().validate(structuredClone(document) as never), { valid: true })
  const shown = Object.fromEntries(
    Object.entries(document.paths)
      .filter(([path]) => /password|verif/.test(path))
      .map(([path, { post }]) => {
        const { schema } = post.requestBody.content['application/json']
        const body = document.components.schemas[String(schema.$ref.split('/').at(-1))]
        return [path, [post.summary, body?.required, post.security]]
      })
  )
  t.strictSame(shown, {
    '/password-resets': ['Send a link to reset the password', ['email'], []],
    '/password-resets/confirm': ['Reset the password', ['token', 'password'], []],
    '/email-verifications': ['Send the link to verify an address again', ['email'], []],
    '/email-verifications/confirm': ['Verify an address', ['token'], []],
    '/password-changes': ['Change the password', ['currentPassword', 'password'], [{ Bearer: [] }]]
  })
  t.ok(Object.keys(document.paths['/password-resets']?.post.responses ?? {}).includes('429'))
  t.match(document.components.schemas.PasswordChangesData?.properties, {
    currentPassword: { format: 'password' },
    password: { format: 'password', minLength: 8 }
  })
})
