/** Names that a custom method can't have: those of every service, what is called automatically, and the words of hooks. */
export const reservedNames = [
  ...['constructor', 'toString', 'hasOwnProperty', '__proto__', 'hooks'],
  ...['on', 'once', 'off', 'emit', 'addListener', 'removeListener'],
  ...['removeAllListeners', 'listeners', 'listenerCount'],
  ...['setup', 'teardown', 'then'],
  ...['all', 'around', 'before', 'after', 'error']
]

/** The error for such a name. */
export const reservedMessage = (name: string, path: string) =>
  `'${name}' can't be a method of the service '${path}': the name is taken`
