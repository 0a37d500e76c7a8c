import { isObject, isPlain } from './objects.js'

/**
 * Refuses options that do not exist: they are misspelt or belong to another library, and would be ignored.
 *
 * @param has who has the options, as in `'Authentication has'`
 * @param place what stands before their names: `'jwt.'`
 * @throws when there is one; the message suggests the name that was probably meant
 */
export function checkOptionNames(options: object, known: readonly string[], has: string, place = ''): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const likely = likelyName(name, known)
    const hint = likely === undefined ? '' : `. Did you mean '${place}${likely}'?`
    throw new Error(
      `${has} no option '${place}${name}'. There are: ${known.map((one) => place + one).join(', ')}${hint}`
    )
  }
}

/** The name that was meant by one that is misspelt, if there is one like it. */
export function likelyName(name: string, names: readonly string[]): string | undefined {
  const [likely] = names
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= 2)
    .sort((a, b) => a.distance - b.distance)
  return likely?.candidate
}

/** What an option must be, in words, and whether a value is that. */
export type Kind = readonly [description: string, is: (value: unknown) => boolean]

/** The options that there are, and what each must be. */
export type OptionTable<Options> = Readonly<Record<keyof Options, Kind>>

const isFunction = (value: unknown) => typeof value === 'function'
const isFlag = (value: unknown) => typeof value === 'boolean'
const isText = (value: unknown) => typeof value === 'string'

/** What options are, those that are checked elsewhere `free`. */
export const kinds = {
  free: ['anything', () => true],
  flag: ['true or false', isFlag],
  text: ['a string', isText],
  filled: ['a non-empty string', (value) => isText(value) && value !== ''],
  names: ['a list of strings', (value) => Array.isArray(value) && value.every(isText)],
  object: ['an object', isObject],
  plain: ['a plain object', isPlain],
  function: ['a function', isFunction],
  settings: ['an object or a function', (value) => isObject(value) || isFunction(value)]
} satisfies Record<string, Kind>

/**
 * Checks the names and the types of options. Those that are misspelt, or of another library, would be ignored in silence.
 *
 * @param who has the options: `authentication`, `the service 'posts'`
 * @param place what stands before their names: `'jwt.'`
 * @throws when one is not in the table, or of another kind
 */
export function checkOptions<Options>(
  who: string,
  table: OptionTable<Options>,
  options: Readonly<Record<string, unknown>>,
  place = ''
): void {
  // Names of packages and functions stay as they are.
  const begin = who.replace(/^(the |[a-z]+$)/, (words) => `${words[0]?.toUpperCase()}${words.slice(1)}`)
  checkOptionNames(options, Object.keys(table), `${begin} has`, place)
  for (const [name, [description, is]] of Object.entries<Kind>(table))
    if (options[name] !== undefined && !is(options[name]))
      throw new TypeError(
        `The option \`${place}${name}\` of ${who} must be ${description}, got ${shown(options[name])}`
      )
}

// By `@fastify/autoload` too.
const ofRegister = ['prefix', 'logLevel', 'logSerializers']

/**
 * Takes out what Fastify takes of every plugin, and applies to none that decorates the instance around it: the log is warned of these options.
 * @param advice what registers another plugin with an effect, and how
 */
export function withoutRegister(
  who: string,
  options: object,
  { registers, call }: { readonly registers: string; readonly call: string },
  log: { warn(message: string): void }
): Record<string, unknown> {
  for (const option of ofRegister.filter((one) => one in options))
    log.warn(
      `The option \`${option}\` of ${who} has no effect. Give it to a plugin that registers ${registers}: app.register(async (child) => { ${call} }, { ${option}: … })`
    )
  return Object.fromEntries(Object.entries(options).filter(([option]) => !ofRegister.includes(option)))
}

/** The edit distance: how many letters must be changed, added or removed to turn one word into the other. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries())
      next.push(
        Math.min((row[j] as number) + Number(letter !== other), (row[j + 1] as number) + 1, (next[j] as number) + 1)
      )
    row = next
  }
  return row[to.length] as number
}

/**
 * What was given where something else must stand, in a few words for the end of a message. What a string says is left out: it may be a key, an
 * address with a password, or what a client has sent. A class is given by mistake, in place of an object of it.
 */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string'
  if (isClass(value)) return value.name === '' ? 'a class' : `the class ${value.name}: pass \`new ${value.name}()\``
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** The same where a string may be told: in place of another one. */
export const shownText = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? `'${value.slice(0, 40)}'` : shown(value)

/** Whether it is a class, not an object of it. */
export const isClass = (value: unknown): value is { readonly name: string } =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
