import { hookTypes } from './hooks.js'

// Not what `JSON.stringify`, test runners, streams and frameworks look up on any object (`$$typeof`, `__v_isRef`).
export const isCustom = /^(?!(toJSON|asymmetricMatch|catch|finally|pipe|getReader|nodeType|length)$)[a-z]\w*$/i

// Each reason completes the sentence "'name' can't be a method of the service".
const reserved: readonly [names: readonly string[], reason: string][] = [
  [['setup', 'teardown', 'then'], 'it is called automatically'],
  [['all', ...hookTypes], 'hooks use the word']
]

/** Why no custom method can have a name; `undefined` if one can. */
export const reasonAgainst = (name: string) => reserved.find(([names]) => names.includes(name))?.[1]

/** The error for a custom method whose name is taken. */
export const nameError = (name: string, path: string, reason: string) =>
  new Error(`'${name}' can't be a method of the service '${path}': ${reason}`)
