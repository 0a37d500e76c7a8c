import { type Json, propertyOf } from './json.js'
import { toSize } from './units.js'

const numberIn = (schema: Json, key: string): number | undefined => {
  const value = propertyOf(schema, key)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  // Schema libraries write the limits of exact numbers, which nobody has chosen.
  return Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value
}

const isInteger = (schema: Json) =>
  [propertyOf(schema, 'type')]
    .flat()
    .filter((type) => type !== 'null')
    .join() === 'integer'

/** Returns `min`, `max` and `step` of a number input. */
export function rangeOf(schema: Json): { min?: number; max?: number; step?: number } {
  const [min, max] = [numberIn(schema, 'minimum'), numberIn(schema, 'maximum')]
  const step = numberIn(schema, 'multipleOf') ?? (isInteger(schema) ? 1 : undefined)
  return {
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(step !== undefined && step > 0 && { step })
  }
}

const formatNames: ReadonlyMap<unknown, string> = new Map([
  ['email', 'an e-mail address'],
  ['uri', 'a URL'],
  ['uuid', 'a UUID'],
  ['ipv4', 'an IPv4 address'],
  ['ipv6', 'an IPv6 address'],
  ['hostname', 'the name of a host']
])

const withUnit = (count: number | string, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`

/** From how much to how much: `8 to 1024 characters`. */
function between(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  const say = (count: number | string) => (unit === '' ? String(count) : withUnit(count, unit))
  if (max === undefined) return min === undefined || (min === 0 && unit !== '') ? undefined : `at least ${say(min)}`
  if (min === undefined || (min === 0 && unit !== '')) return `at most ${say(max)}`
  return min === max ? say(min) : say(`${min} to ${max}`)
}

const toLeast = (min: number | undefined) => (min === 1 ? undefined : min)

/** Describes the rules of a file: `PNG or JPEG, up to 1 MB`. */
export function toFileTexts(schema: Json, types: readonly string[]): string[] {
  const names = types.map((type) => (/^\w+\/(?:x-)?([\w.-]+)/.exec(type)?.[1] ?? type).toUpperCase())
  const most = numberIn(schema, 'maxLength')
  const texts = [names.join(' or '), most === undefined ? '' : `up to ${toSize(most)}`].filter((text) => text !== '')
  return texts.length === 0 ? [] : [texts.join(', ')]
}

/** Describes the rules of a value besides its type. */
export function toRuleTexts(schema: Json): string[] {
  const more = (key: string, words: string) => {
    const limit = numberIn(schema, key)
    return limit === undefined ? undefined : `${words} ${limit}`
  }
  const pattern = propertyOf(schema, 'pattern')
  const format = formatNames.get(propertyOf(schema, 'format'))
  return [
    isInteger(schema) ? 'a whole number' : undefined,
    format,
    // Of a text that may not be empty, `required` says enough.
    between(toLeast(numberIn(schema, 'minLength')), numberIn(schema, 'maxLength'), 'character'),
    between(numberIn(schema, 'minimum'), numberIn(schema, 'maximum'), ''),
    more('exclusiveMinimum', 'more than'),
    more('exclusiveMaximum', 'less than'),
    more('multipleOf', 'a multiple of'),
    between(numberIn(schema, 'minItems'), numberIn(schema, 'maxItems'), 'item'),
    propertyOf(schema, 'uniqueItems') === true ? 'no item twice' : undefined,
    // A schema library writes a pattern beside a format, of which nobody learns more.
    typeof pattern === 'string' && format === undefined && pattern.length <= 60 ? `like ${pattern}` : undefined
  ].filter((rule) => rule !== undefined)
}
