import {
  type AroundHook,
  createClient,
  type Hook,
  type HookContext,
  type HookMap,
  type HookOptions,
  type HookType,
  type Listener,
  type NextFunction,
  type RecordListener,
  rest,
  type ServiceAddons
} from 'fastify-services/client'
import t from 'tap'
import { createClientOfEcho } from '../support/client-app.js'

class MessageService {
  async get(id: number) {
    return { id, text: '' }
  }
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_is: Same<A, B>) => {}

same<HookType, 'around' | 'before' | 'after' | 'error'>(true)
same<Parameters<Hook>, [HookContext]>(true)
same<Parameters<AroundHook>, [HookContext, NextFunction]>(true)
same<HookOptions['before'], HookMap<Hook> | undefined>(true)
same<HookContext<MessageService>['result'], { id: number; text: string } | undefined>(true)
same<Parameters<ServiceAddons<MessageService>['off']>, [string, Listener]>(true)

t.test('hooks and listeners may stand alone, with their types from the door of the client', async (t) => {
  const { address } = await createClientOfEcho(t, ({ url }) => ({ id: Number(url.split('/').at(-1)), text: 'Hi' }))
  const app = createClient<{ messages: MessageService }>().configure(rest(address).fetch(fetch))
  const calls: string[] = []
  const log: AroundHook = async (context: HookContext, next: NextFunction) => {
    calls.push(`${context.path}.${context.method}`)
    await next()
  }
  const shout: Hook<HookContext<MessageService>> = ({ result }) => ({
    result: { ...result, text: `${result?.text.toUpperCase()}!` }
  })
  const listen: RecordListener<MessageService> = ({ text }, { method }) => void calls.push(`${method}: ${text}`)
  const hooks: HookOptions = { around: log }
  app.hooks(hooks)
  app.service('messages').hooks({ after: { get: shout } })
  app.service('messages').on('created', listen)
  t.same(await app.service('messages').get(7), { id: 7, text: 'HI!' })
  app.service('messages').emit('created', { id: 8, text: 'Ho' }, { method: 'create' })
  t.same(calls, ['messages.get', 'create: Ho'])
})
