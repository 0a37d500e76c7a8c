import { Conflict, Forbidden, type HookContext, type Params } from 'fastify-services'
import type { Posts } from './posts.js'

interface Authored {
  get(id: unknown, params: Params): Promise<{ author: number }>
}

const userId = ({ user }: Params) => (user as { id: number } | undefined)?.id

/** Users see and change their own record only. */
export function ownRecord(context: HookContext): void {
  const { id, method, params } = context
  if (!params.provider) return
  const caller = userId(params)
  if (method === 'find') context.params = { ...params, query: { ...params.query, id: caller } }
  else if (Number(id) !== caller) throw new Forbidden('Users see and change their own record only')
}

/** An address belongs to one user. In a database, a unique index sees to that, and `databaseErrors()` to the answer. */
export async function isFree({ app, data, id }: HookContext): Promise<void> {
  const { email } = data as { email?: string }
  if (email === undefined) return
  const users = app.service<{ find(params: Params): Promise<{ id: number }[]> }>('users')
  const others = await users.find({ query: { email }, paginate: false })
  if (others.some((user) => user.id !== Number(id))) throw new Conflict('The address is taken')
}

/** Adds to each record what the server sets: `set` makes it of the record and the params of the call. */
export const withFields =
  (set: (record: Record<string, unknown>, params: Params) => object) => (context: HookContext) => {
    const add = (record: object) => ({ ...record, ...set(record as Record<string, unknown>, context.params) })
    context.data = Array.isArray(context.data) ? context.data.map(add) : add(context.data as object)
  }

export const setAuthor = withFields((_record, params) => ({ author: userId(params) }))

/** Only its author changes a record. Without an id, those records are changed that are the author's own. */
export async function byAuthor(context: HookContext): Promise<void> {
  const { id, params } = context
  if (!params.provider) return
  const author = userId(params)
  if (id === null || id === undefined) context.params = { ...params, query: { $and: [params.query ?? {}, { author }] } }
  else {
    const service = context.app.service<Authored>(context.path)
    const record = await service.get(id, { route: params.route ?? {} })
    if (record.author !== author) throw new Forbidden('Only its author may change it')
  }
}

/** Comments are those of the post in the path, and there are none of a post that does not exist. */
export async function ofPost(context: HookContext): Promise<void> {
  const { app, params } = context
  const { id: post } = await app.service<Posts>('posts').get(Number(params.route?.postId))
  context.params = { ...params, query: { ...params.query, post } }
  if (context.method === 'create') withFields(() => ({ post }))(context)
}
