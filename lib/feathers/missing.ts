const listeners = 'app.service(path).on(event, listener), as the services have the listeners'
const channels = 'the option `app` of fastify-services/feathers, as channels are those of a Feathers application'
const start = 'applicationOf(app) of fastify-services/feathers, before the server is ready'

/** What to use in place of those members of a Feathers application that hooks do not find. */
const replacements: Readonly<Record<string, string>> = {
  channel: channels,
  channels,
  publish: channels,
  registerPublisher: channels,
  configure: `app.register(plugin), or ${start}`,
  mixins: `the option \`hooks\` of fastify-services, or ${start}`,
  use: 'app.service(path, object, options) before the server is ready, and app.addHook() for middleware',
  unuse: 'nothing: a service stays for as long as its application',
  teardown: 'app.close()',
  defaultService: 'app.service(path, object, options) before the server is ready, for each service',
  on: listeners,
  once: listeners,
  off: listeners,
  addListener: listeners,
  removeListener: listeners,
  removeAllListeners: listeners,
  emit: 'app.service(path).emit(event, …), as the services have the listeners',
  listeners,
  listenerCount: listeners
}

/** @throws for a member of a Feathers application that hooks do not find, with what to use instead */
export function refuseMember(name: string): never {
  throw new Error(
    `context.app has no '${name}': Fastify has no counterpart of it. What to use instead: ${replacements[name]}`
  )
}

/** What such a member is: a function that throws when it is called, since some code asks first whether there is one. */
export const missingMember = (name: string): unknown =>
  Object.hasOwn(replacements, name) ? () => refuseMember(name) : undefined
