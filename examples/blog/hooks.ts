import { Conflict, type HookContext, type Params } from 'fastify-services'

/** An address belongs to one user. In a database, a unique index sees to that, and `databaseErrors()` to the answer. */
export async function isFree({ app, data, id }: HookContext): Promise<void> {
  const { email } = data as { email?: string }
  if (email === undefined) return
  const users = app.service<{ find(params: Params): Promise<{ id: number }[]> }>('users')
  const others = await users.find({ query: { email }, paginate: false })
  if (others.some((user) => user.id !== Number(id))) throw new Conflict('The address is taken')
}

/** Adds to each record what the server sets: `set` makes it of the record. */
export const withFields = (set: (record: Record<string, unknown>) => object) => (context: HookContext) => {
  const add = (record: object) => ({ ...record, ...set(record as Record<string, unknown>) })
  context.data = Array.isArray(context.data) ? context.data.map(add) : add(context.data as object)
}
