/* The ten most usual mistakes with a resource, as in `mistakes.ts`. Each is told in two lines at most, without names of types of ours. */
import { type HookContext, type Paged, resource, type ServiceOf } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import Type from 'typebox'

const Booking = Type.Object({
  id: Type.Integer(),
  clinicId: Type.Integer(),
  slotId: Type.Integer(),
  patientId: Type.Integer(),
  state: Type.Union([Type.Literal('booked'), Type.Literal('cancelled')]),
  note: Type.Optional(Type.String())
})
const bookings = resource(Booking, {
  readOnly: ['id', 'clinicId', 'state'],
  methods: { cancel: { route: 'POST /:id/cancel', body: Type.Object({ reason: Type.String() }), event: 'patched' } }
})
// An interface, since errors show its name.
interface Bookings extends Paged<ServiceOf<typeof bookings>> {}
const routes = { bookings: { cancel: 'POST /:id/cancel' } } as const
const client = createClient<{ bookings: Bookings }>({ routes }).configure(rest('http://localhost').fetch(fetch))
const remote = client.service('bookings')

// 1. Data that lacks a field.
remote.create({ slotId: 1, patientId: 1 })
// @ts-expect-error: Argument of type '{ slotId: number; }' is not assignable to parameter of type '{ note?: string; patientId: number; slotId: number; } | Sendable'. | or Argument of type '{ slotId: number; }' is not assignable to parameter of type '…{ slotId: number; patientId: number; note?: string; }…'.
remote.create({ slotId: 1 })

// 2. A field that the server sets.
remote.create({ slotId: 1, patientId: 1 })
// @ts-expect-error: Object literal may only specify known properties, and 'state' does not exist in type '{ note?: string; patientId: number; slotId: number; } | Sendable'. | or Object literal may only specify known properties, and 'state' does not exist in type '…{ slotId: number; patientId: number; note?: string; }…'.
remote.create({ slotId: 1, patientId: 1, state: 'booked' })

// 3. A field that is misspelt.
remote.patch(1, { note: 'a' })
// @ts-expect-error: Object literal may only specify known properties, and 'nte' does not exist in type 'Partial<{ note?: string; patientId: number; slotId: number; }> | Sendable'. | or Object literal may only specify known properties, and 'nte' does not exist in type '…{ slotId: number; patientId: number; note?: string; }…'.
remote.patch(1, { nte: 'a' })

// 4. A value of another type.
remote.update(1, { slotId: 1, patientId: 2 })
// @ts-expect-error: Type 'string' is not assignable to type 'number'.
remote.update(1, { slotId: '1', patientId: 2 })

// 5. A page that is taken for a list.
const states = (await remote.find()).data.map(({ state }) => state)
// @ts-expect-error: Property 'map' does not exist on type '{ total: number; limit: number; skip: number; data: {…}[]; }'.
const texts = (await remote.find()).map(String)

// 6. A field of a record that is misspelt.
const { state } = await remote.get(1)
// @ts-expect-error: Property 'stat' does not exist on type '{ clinicId: number; …}'. | or Property 'stat' does not exist on type '{ id: number; …}'.
const { stat } = await remote.get(1)

// 7. A filter that is misspelt.
remote.find({ query: { state: 'booked' } })
// @ts-expect-error: Object literal may only specify known properties, but 'stat' does not exist in type '…'. Did you mean to write 'state'?
remote.find({ query: { stat: 'booked' } })

// 8. A filter by a value that there is not.
remote.find({ query: { state: { $ne: 'booked' } } })
// @ts-expect-error: Type '"open"' is not assignable to type '"booked" | "cancelled" | Operators<"booked" | "cancelled", never> | undefined'.
remote.find({ query: { state: 'open' } })

// 9. A custom method that is misspelt.
remote.cancel(1, { reason: 'a' })
// @ts-expect-error: Property 'cancell' does not exist on type 'ClientService<Bookings, ClientApplication<{ bookings: Bookings; }>, "bookings">'. Did you mean 'cancel'?
remote.cancell(1, { reason: 'a' })

// 10. A field of data in a hook.
const right = ({ data }: HookContext<Bookings, 'create'>) => data.patientId
// @ts-expect-error: Property 'patient' does not exist on type '{ note?: string; patientId: number; slotId: number; } & {…}'. Did you mean 'patientId'? | or Property 'patient' does not exist on type '{ slotId: number; patientId: number; note?: string; } & {…}'. Did you mean 'patientId'?
const wrong = ({ data }: HookContext<Bookings, 'create'>) => data.patient

export const used = [states, texts, state, stat, right, wrong]
