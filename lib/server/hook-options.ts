import { hookTypes, isHookType } from '../core/hooks.js'
import { methods } from '../core/methods.js'
import { isPlain } from '../core/objects.js'
import { hintFor, inspect, type OptionKind } from '../core/options.js'

/** Whose hooks are added: all services are `App`, and have no object. */
export interface HookReceiver {
  readonly who: string
  /** The user's object that is the service. */
  readonly object?: object | undefined
  /** The methods that clients may call, besides the six. */
  readonly exposed?: readonly string[] | undefined
}

// A promise, a Map or an instance of a class has no hooks by name: none would run, not even guards.
const isHooks = (value: unknown) => isPlain(value) || Array.isArray(value) || typeof value === 'function'

/** The kind of the option `hooks`. */
export const hooksKind: OptionKind = [
  'a plain object by type, as in { before: { all: [hook] } }, a list or a function',
  isHooks
]
const byMethod: OptionKind = ['a plain object by method, as in { all: [hook] }, a list or a function', isHooks]

function checkKind(place: string, [description, is]: OptionKind, value: unknown): void {
  if (!is(value)) throw new TypeError(`${place} must be ${description}, got ${inspect(value)}`)
}

/**
 * @throws for the methods that have hooks in Feathers, and are replaced by hooks of Fastify here
 */
function mayHaveHooks(method: string): boolean {
  if (method === 'setup' || method === 'teardown')
    throw new Error(`'${method}' has no hooks here: use onReady and onClose of the application`)
  return true
}

/**
 * Checks hooks before they are added. Whether those in a list are functions is checked where they
 * are added.
 * @throws when hooks are of another kind, or a name among them is no hook type, and no method that
 * may have hooks
 */
export function checkHooks(hooks: unknown, receiver: HookReceiver): void {
  checkKind(`${receiver.who}: hooks`, hooksKind, hooks)
  // As in Feathers, options that name no hook type are around hooks: a list, or lists by method.
  if (!isPlain(hooks)) return
  const type = Object.keys(hooks).find(isHookType)
  if (type === undefined) checkNamesWithHooks(hooks, receiver)
  else checkTypes(hooks, type, receiver)
}

const methodNames = ({ exposed = [] }: HookReceiver) => ['all', ...methods.keys(), ...exposed]

/** Checks hooks by type. `type` is one of their types. */
function checkTypes(hooks: Record<string, unknown>, type: string, receiver: HookReceiver): void {
  for (const [name, map] of Object.entries(hooks)) {
    if (!isHookType(name)) throw misplacedName(name, type, receiver)
    if (map === undefined) continue
    checkKind(`${receiver.who}: hooks of '${name}'`, byMethod, map)
    if (isPlain(map)) checkNamesWithHooks(map, receiver, name)
  }
}

/** Creates the error for a name beside a hook type that is no hook type. */
function misplacedName(name: string, type: string, receiver: HookReceiver): Error {
  mayHaveHooks(name)
  return methodNames(receiver).includes(name)
    ? new Error(
        `${receiver.who}: hooks of '${name}' must stand under a hook type, as in { ${type}: { ${name}: [hook] } }`
      )
    : unknownName(name, receiver)
}

/** Checks the names of methods, under a hook type or without one. */
function checkNamesWithHooks(map: Record<string, unknown>, receiver: HookReceiver, type?: string): void {
  const { who, object } = receiver
  for (const name of Object.keys(map)) {
    if (methodNames(receiver).includes(name)) continue
    if (isHookType(name))
      throw new Error(`${who}: hooks of the type '${name}' must stand beside '${type}', not under it`)
    mayHaveHooks(name)
    // Of all services, one may have a method of any name. Where no type is named, a name like one
    // of them is a misspelt type.
    const isOfSome = object === undefined && (type !== undefined || hintFor(name, hookTypes) === '')
    if (!isOfSome) throw unknownName(name, receiver)
  }
}

function unknownName(name: string, receiver: HookReceiver): Error {
  const { who, object } = receiver
  const member = (object as Record<string, unknown> | undefined)?.[name]
  if (typeof member === 'function' && !(name in Object.prototype))
    return new Error(
      `${who}: the method '${name}' has no hooks: name it in the option \`methods\`, which lets clients call it`
    )
  const hint = hintFor(name, [...hookTypes, ...methodNames(receiver)])
  return new Error(`${who}: unknown hook type or method '${name}'${hint}`)
}
