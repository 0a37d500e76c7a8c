import type { HookContext as FeathersContext, NextFunction } from '@feathersjs/feathers'
import { KnexService } from '@feathersjs/knex'
import { Ajv, resolve, hooks as schemaHooks, virtual } from '@feathersjs/schema'
import { getValidator, querySyntax, type Static, Type } from '@feathersjs/typebox'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import { authenticate, hashPassword } from 'fastify-services/authentication'
import * as common from 'feathers-hooks-common'
import type { Knex } from 'knex'
import { same, untyped } from './same.js'

const schema = Type.Object(
  { id: Type.Number(), text: Type.String(), userId: Type.Optional(Type.Number()) },
  { $id: 'Message', additionalProperties: false }
)
type Message = Static<typeof schema>
const dataSchema = Type.Pick(schema, ['text'], { $id: 'MessageData' })
type MessageData = Static<typeof dataSchema>
const querySchema = querySyntax(Type.Pick(schema, ['id', 'text']))
type MessageQuery = Static<typeof querySchema>
const dataValidator = getValidator(dataSchema, new Ajv())
const queryValidator = getValidator(querySchema, new Ajv({ coerceTypes: true }))

class MessageService extends KnexService<Message, MessageData> {}

// A function that is typed for Feathers, and one with `next`.
const plain = async (context: FeathersContext) => {
  context.data = { ...context.data, by: context.params.user?.id }
  await context.app.service('messages').find()
  return context
}
const around = async (context: FeathersContext, next: NextFunction) => {
  await next()
  console.log(context.path, context.id, context.result)
}

// Resolvers that are typed by our context.
const resolver = resolve<Message, HookContext<MessageService>>({
  text: async (text, _message, context) => text?.concat(context.path, String(context.id)),
  userId: virtual(async (_message, context) => context.params.query?.userId as number)
})
const external = resolve<Message, HookContext<MessageService>>({ userId: async () => undefined })
const data = resolve<MessageData, HookContext<MessageService>>({ text: async (text) => text })
const queryResolver = resolve<MessageQuery, HookContext<MessageService>>({ id: async (value) => value })

const app = Fastify()
await app.register(services, {
  hooks: {
    around: { all: [around, authenticate('jwt'), schemaHooks.resolveResult(resolve<Message, HookContext>({}))] },
    before: { all: [plain, common.disallow('external')], create: [common.discard('a')] }
  }
})

const service = new MessageService({ Model: {} as Knex, name: 'messages' })
const messages = app.service('messages', service, {
  methods: ['find', 'get', 'create', 'patch', 'remove'],
  hooks: {
    around: {
      all: [
        around,
        authenticate('jwt'),
        schemaHooks.resolveExternal(external),
        schemaHooks.resolveResult(resolver),
        async (context, next) => {
          same<typeof context.method, string>(true)
          await next()
        }
      ],
      find: [authenticate('jwt'), around],
      create: [
        schemaHooks.resolveAll({
          result: resolver,
          dispatch: external,
          query: queryResolver,
          data: { create: data, patch: data, update: data }
        })
      ]
    },
    before: {
      all: [schemaHooks.validateQuery(queryValidator), schemaHooks.resolveQuery(queryResolver), plain],
      create: [
        schemaHooks.validateData(dataValidator),
        schemaHooks.resolveData(data),
        hashPassword('text'),
        plain,
        ({ data, method }) => {
          same<typeof data, MessageData | MessageData[]>(true)
          same<typeof method, 'create'>(true)
        },
        common.iff(common.isProvider('external'), common.discard('id'), plain).else(common.required('text')),
        common.setNow('at'),
        common.lowerCase('text')
      ],
      patch: [common.preventChanges(true, 'id'), common.iffElse((context) => context.id === 1, [plain], [])],
      remove: [common.stashBefore(), common.softDelete(), common.unless(common.isProvider('server'), plain)]
    },
    after: {
      all: [common.keep('id', 'text'), common.alterItems((item) => delete item.text)],
      get: [common.discard('userId'), ({ result }) => same<typeof result, Message>(true)]
    },
    error: { all: [plain, (context) => untyped<typeof context.error>(true)] }
  }
})
messages.hooks({ before: { get: [plain, schemaHooks.validateQuery(queryValidator)] }, around: [around] })
