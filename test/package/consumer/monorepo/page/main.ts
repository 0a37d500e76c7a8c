import type { HookContext } from 'fastify-services'
import { authentication, createClient, iterate, NotFound, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import type { Api, at, folder, methods, page, parts } from '../declarations/server/main.js'

// What the page of a monorepo exports, by the declarations of its server.

export const connect = (url: string) =>
  createClient<Api>().configure(rest(url).fetch(fetch)).configure(authentication()).configure(events())
export const client = connect('http://localhost')
export const untyped = createClient().service('messages')
export const setup = [authentication(), events()]
export const connection = rest('http://localhost').fetch(fetch)
export const messages = client.service('messages')
export const services = {
  messages,
  posts: client.service('posts'),
  users: client.service('users'),
  notes: client.service('notes'),
  folders: client.service('folders'),
  nested: client.service('users/:userId/posts')
}
export const useMethods = () => {
  const { find, publish, count } = client.service('users/:userId/posts')
  const { create, on, hooks, live } = messages
  return { find, publish, count, create, on, hooks, live }
}
export const list = messages.live({ query: {} })
export const all = () => iterate(messages)
export const folderOf = (id: number) => client.service('folders').get(id)
export const login = () => client.authenticate({ strategy: 'local' })
export const errors = { NotFound }
export class Store {
  readonly client = connect('http://localhost')
  readonly posts = this.client.service('posts')
  publish = (id: number) => this.posts.publish(id, { at: 'now' })
}

// The declarations say the same as the modules did.

export type Text = Awaited<ReturnType<typeof page>>[number]['text']
export const text: Text = 'hello'
// @ts-expect-error: a text is no number
export const wrongText: Text = 1
// @ts-expect-error: `key` does not leave
export type Key = Awaited<ReturnType<typeof page>>[number]['key']
// @ts-expect-error: nor does it in a folder of a folder
export type InnerKey = NonNullable<Awaited<ReturnType<typeof folder>>['children']>[number]['key']
export type InnerId = NonNullable<Awaited<ReturnType<typeof folder>>['children']>[number]['id']
export const innerId: InnerId = 1

export async function useServices({ messages, posts, nested }: ReturnType<typeof at>) {
  await messages.create({ text: 'hello', key: 'k' })
  // @ts-expect-error: `txt` is misspelt
  await messages.create({ txt: 'hello', key: 'k' })
  const { count } = await posts.count({ query: {} })
  const published = await posts.publish(1, { at: 'now' })
  await nested.find({ route: { userId: 1 } })
  // @ts-expect-error: a placeholder has no value
  await nested.find()
  return [count.toFixed(), published.text.length]
}
export const publishBy = ({ publish }: ReturnType<typeof methods>) =>
  publish(1, { at: 'now' }, { route: { userId: 1 } })
export const partsOf = (context: HookContext, read: typeof parts) => read(context).params.user
