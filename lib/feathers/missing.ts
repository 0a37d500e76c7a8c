const listeners = 'a service has listeners: app.service(path).on(event, listener)'
const channels =
  'channels are those of a Feathers application that is mounted by the option `app` of fastify-services/feathers'

/** The members of a Feathers application that an instance of Fastify lacks, and what to use instead. */
const missing: Readonly<Record<string, string>> = {
  channel: channels,
  channels,
  publish: channels,
  registerPublisher: channels,
  configure: 'app.register(plugin)',
  use: 'app.service(path, object, options) before the server is ready, and app.addHook() for middleware',
  unuse: 'a service stays for as long as its application',
  teardown: 'app.close()',
  defaultService: 'app.service(path, object) for each service before the server is ready',
  mixins: 'the option `hooks` of fastify-services',
  on: listeners,
  once: listeners,
  off: listeners,
  addListener: listeners,
  removeListener: listeners,
  removeAllListeners: listeners,
  emit: 'app.service(path).emit(event, …)',
  listeners,
  listenerCount: listeners
}

/** What an application gives for a member that it lacks: a function that throws when it is called, as some ask whether there is one. */
export function missingMember(name: string): unknown {
  if (!Object.hasOwn(missing, name)) return undefined
  const fail = () => {
    throw new Error(
      `context.app.${name} is a member of Feathers applications, which Fastify has not. Use instead: ${missing[name]}`
    )
  }
  return name === 'mixins' ? fail() : fail
}
