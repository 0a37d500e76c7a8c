import { hintFor } from '../schema/likely-name.js'
import { isObject, isPlain, isPromise } from './objects.js'

export { hintFor }

/**
 * Refuses options that do not exist: they are misspelt or belong to another library, and would be
 * ignored.
 *
 * @param has who has the options, as in `'Authentication has'`
 * @param place a prefix of their names: `'jwt.'`
 * @throws when there is one; the message suggests the name that was probably meant
 */
export function checkOptionNames(options: object, optionNames: readonly string[], has: string, place = ''): void {
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue
    throw new Error(
      `${has} no option '${place}${name}'. There are: ${optionNames.map((optionName) => place + optionName).join(', ')}${hintFor(name, optionNames, place)}`
    )
  }
}

/** The kind of an option: its description for errors, and its check. */
export type OptionKind = readonly [description: string, is: (value: unknown) => boolean]

/** The known options, each with its kind. */
export type OptionTable<Options> = Readonly<Record<keyof Options, OptionKind>>

const isFunction = (value: unknown) => typeof value === 'function'
const isFlag = (value: unknown) => typeof value === 'boolean'
const isText = (value: unknown) => typeof value === 'string'

/**
 * Whether options can be read from a value by their names. None is in a promise, a Map or a list,
 * and all would be ignored in silence.
 */
const hasNames = (value: unknown) => isObject(value) && !isPromise(value) && !(Symbol.iterator in value)

/** The kinds of options. `free` is for options that are checked elsewhere. */
export const kinds = {
  free: ['anything', () => true],
  flag: ['true or false', isFlag],
  text: ['a string', isText],
  filled: ['a non-empty string', (value) => isText(value) && value !== ''],
  names: ['a list of strings', (value) => Array.isArray(value) && value.every(isText)],
  fromZero: ['a number from 0', (value) => typeof value === 'number' && value >= 0],
  whole: ['a whole number above 0', (value) => Number.isInteger(value) && Number(value) > 0],
  positive: ['a number above 0', (value) => typeof value === 'number' && value > 0],
  object: ['an object', hasNames],
  plain: ['a plain object', isPlain],
  flagOrPlain: ['true, false or a plain object', (value) => isFlag(value) || isPlain(value)],
  function: ['a function', isFunction],
  settings: ['an object or a function', (value) => hasNames(value) || isFunction(value)]
} satisfies Record<string, OptionKind>

/**
 * Checks the names and the types of options. Otherwise misspelt options, or options of another
 * library, would be ignored silently.
 *
 * @param who has the options: `authentication`, `the service 'posts'`
 * @param place a prefix of their names: `'jwt.'`
 * @throws when one is not in the table, or of another kind, and when the options are no object
 */
export function checkOptions<Options>(who: string, table: OptionTable<Options>, options: object, place = ''): void {
  checkOptionsObject(who, options)
  // Names of packages and functions stay as they are.
  const begin = who.replace(/^(the |[a-z]+$)/, (words) => `${words[0]?.toUpperCase()}${words.slice(1)}`)
  checkOptionNames(options, Object.keys(table), `${begin} has`, place)
  for (const [name, [description, is]] of Object.entries<OptionKind>(table)) {
    const value: unknown = Reflect.get(options, name)
    if (value !== undefined && !is(value))
      throw new TypeError(`The option \`${place}${name}\` of ${who} must be ${description}, got ${inspect(value)}`)
  }
}

/** @throws when options are none: names in a promise or a Map would be ignored in silence */
export function checkOptionsObject(who: string, options: unknown): void {
  if (!hasNames(options)) throw new TypeError(`The options of ${who} must be an object, got ${inspect(options)}`)
}

/**
 * Checks the name of a field that a function takes.
 * @param caller the name of the function
 * @param example the name of a field, for the message
 * @throws when it is no name
 */
export function checkFieldName(caller: string, field: unknown, example: string): void {
  if (!kinds.filled[1](field))
    throw new TypeError(`${caller} needs the name of a field: ${caller}('${example}'), got ${inspect(field)}`)
}

/** The options that Fastify reads of every plugin; `@fastify/autoload` sets `prefix` too. */
export const registerOptions = { prefix: kinds.free, logLevel: kinds.free, logSerializers: kinds.free }

/**
 * Removes the options that Fastify reads of every plugin, with a warning in the log. They have no
 * effect on a plugin that decorates the instance around it.
 * @param advice what registers another plugin with an effect, and how
 * @throws when the options are no object
 */
export function withoutRegister(
  who: string,
  options: object,
  { registers, call }: { readonly registers: string; readonly call: string },
  log: { warn(message: string): void }
): Record<string, unknown> {
  checkOptionsObject(who, options)
  for (const option of Object.keys(registerOptions).filter((name) => name in options))
    log.warn(
      `The option \`${option}\` of ${who} has no effect. Give it to a plugin that registers ${registers}: app.register(async (child) => { ${call} }, { ${option}: … })`
    )
  return Object.fromEntries(Object.entries(options).filter(([option]) => !Object.hasOwn(registerOptions, option)))
}

/**
 * Describes a wrong value in a few words, for the end of a message. The text of a string is left
 * out: it may be a secret, a URL with a password, or sent by a client. For a class, a common
 * mistake, the message says how to pass an instance.
 */
export function inspect(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string'
  if (isClass(value)) return value.name === '' ? 'a class' : `the class ${value.name}: pass \`new ${value.name}()\``
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  if (isPromise(value)) return 'a promise: await it'
  if (typeof value !== 'object' || value === null) return String(value)
  const tag: unknown = Reflect.get(value, Symbol.toStringTag)
  return typeof tag === 'string' ? `an object (${tag})` : 'an object'
}

/** Like `inspect`, but with the text of a string, for values that are not secret. */
export const inspectText = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? `'${value.slice(0, 40)}'` : inspect(value)

/** Whether a value is a class itself, not an instance. */
export const isClass = (value: unknown): value is { readonly name: string } =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
