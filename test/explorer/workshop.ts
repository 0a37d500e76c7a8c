import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import Type from 'typebox'

const Place = Type.Object({
  street: Type.String({ minLength: 1 }),
  city: Type.String({ minLength: 1, description: 'As on a letter.' }),
  point: Type.Optional(Type.Object({ lat: Type.Number({ minimum: -90, maximum: 90 }), lon: Type.Number() }))
})
const Talk = Type.Object({ title: Type.String({ minLength: 1 }), minutes: Type.Integer({ minimum: 5, maximum: 90 }) })
const Fee = Type.Union([
  Type.Object({ kind: Type.Literal('free') }),
  Type.Object({
    kind: Type.Literal('paid'),
    price: Type.Number({ exclusiveMinimum: 0 }),
    currency: Type.Union([Type.Literal('EUR'), Type.Literal('CHF')])
  })
])

/** A record of every kind of field. */
export const Meeting = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String({ minLength: 3, maxLength: 80 }),
    about: Type.Optional(Type.String({ maxLength: 2000 })),
    contact: Type.String({ format: 'email' }),
    site: Type.Optional(Type.String({ format: 'uri' })),
    begins: Type.String({ format: 'date-time' }),
    day: Type.Optional(Type.String({ format: 'date' })),
    seats: Type.Integer({ minimum: 1, maximum: 500, default: 20 }),
    isOpen: Type.Optional(Type.Boolean({ default: false })),
    level: Type.Union([Type.Literal('beginner'), Type.Literal('expert')]),
    host: Type.Optional(Type.Integer({ 'x-refers-to': 'hosts' })),
    place: Place,
    lunch: Type.Optional(Place),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 5 })),
    talks: Type.Array(Talk, { minItems: 1 }),
    fee: Fee,
    more: Type.Optional(Type.Record(Type.String(), Type.Number()))
  },
  { title: 'Meeting' }
)
const Host = Type.Object({ id: Type.Integer(), name: Type.String({ minLength: 1 }) }, { title: 'Host' })

export const meeting = {
  title: 'Maps',
  contact: 'ada@example.com',
  begins: '2030-01-31T12:00:00.000Z',
  day: '2030-01-31',
  seats: 12,
  level: 'expert',
  host: 1,
  place: { street: 'Long Road 1', city: 'Bern', point: { lat: 46.9, lon: 7.4 } },
  tags: ['maps', 'open'],
  talks: [
    { title: 'Projections', minutes: 30 },
    { title: 'Tiles', minutes: 45 }
  ],
  fee: { kind: 'paid', price: 9.5, currency: 'CHF' }
}

/** An application whose meetings have a field of every kind. */
export async function openWorkshop() {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(swagger, openapi({ info: { title: 'Workshop', version: '1.0.0' } }))
  await app.register(services)
  const paginate = { default: 10, max: 100 }
  const hosts = app.service('hosts', memory({ startId: 1, paginate }), { schema: resource(Host, { readOnly: ['id'] }) })
  const meetings = app.service('meetings', memory({ startId: 1, paginate, multi: true }), {
    schema: resource(Meeting, { readOnly: ['id'] })
  })
  await app.register(explorer)
  for (const name of ['Ada', 'Grace']) await hosts.create({ name })
  await meetings.create(meeting)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, meetings, address }
}
