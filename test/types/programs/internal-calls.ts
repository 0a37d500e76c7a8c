import Fastify, { type FastifyInstance } from 'fastify'
import services, { type HookContext, type Multi, type Paged, resource, type ServiceOf } from 'fastify-services'
import { createClient } from 'fastify-services/client'
import * as z from 'zod'

// The server may set what its clients may not: the fields that are `readOnly`.
const messages = resource(z.object({ id: z.int(), text: z.string(), userId: z.int() }), { readOnly: ['id', 'userId'] })
type Messages = Paged<ServiceOf<typeof messages>>

const app = Fastify()
await app.register(services)
const internal = app.service<Messages>('messages')
await internal.create({ text: 'hello', userId: 1 })
await internal.create({ text: 'hello' })
await internal.update(1, { text: 'hello', userId: 1 }, { query: {} })
const patched = await internal.patch(1, { userId: 2 })
patched.text.length
// @ts-expect-error: `userId` is a number
await internal.create({ text: 'hello', userId: 'ada' })
// @ts-expect-error: `usrId` is misspelt
await internal.create({ text: 'hello', usrId: 1 })
// @ts-expect-error: the text is missing
await internal.create({ userId: 1 })

const many = app.service<Multi<Messages>>('messages')
const [first] = await many.create([{ text: 'hello', userId: 1 }])
first?.text.length
await many.patch(null, { userId: 1 })
const single = await many.create({ text: 'hello', userId: 1 })
single.text.length

// So it is where the path has placeholders, and in hooks.
export const nested = (set: FastifyInstance) =>
  set.service<Messages>('rooms/:roomId/messages').create({ text: 'hello', userId: 1 })
export const copy = ({ service }: HookContext<Messages, 'create'>) => service.create({ text: 'hello', userId: 1 })

// @ts-expect-error: no client sets it
await createClient<{ messages: Messages }>().service('messages').create({ text: 'hello', userId: 1 })
