/** Names that a custom method can't have, by the reason that the error gives. */
export const reservedNames = {
  'every service has it already': [
    ...['constructor', 'toString', 'hasOwnProperty', '__proto__', 'hooks'],
    ...['on', 'once', 'off', 'emit', 'addListener', 'removeListener'],
    ...['removeAllListeners', 'listeners', 'listenerCount']
  ],
  'it is called automatically': ['setup', 'teardown', 'then'],
  'hooks use the word': ['all', 'around', 'before', 'after', 'error']
}
