import type { Hook, HookContext, HookMap, HookOptions, NextFunction, ServiceOptions } from 'fastify-services'

interface Messages {
  create(data: { text: string }): Promise<{ id: number; text: string }>
}

// Hooks of the exported types stand in a map of the exported type, and the map in the options of a service.
const plain: Hook = (context) => void context.app.log
const stamp = async (context: HookContext) => context
const checkText = (context: HookContext<Messages, 'create'>) => void context.data.text
const time = async (_context: HookContext, next: NextFunction) => next()

export const all: HookMap = { all: [stamp, plain] }
export const before: HookMap<Messages, 'before'> = { all: stamp, create: [checkText] }
export const around: HookMap<Messages, 'around'> = [time]
export const hooks: HookOptions<Messages> = { before, around }
export const options: ServiceOptions<Messages> = { hooks: { before, around } }
// @ts-expect-error: the service has no such method
export const misspelt: HookMap<Messages, 'before'> = { creat: [checkText] }
