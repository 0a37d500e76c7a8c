import { toRegExp } from './bundle.js'
import { kindBits } from './reader.js'
import type { Shape } from './shape.js'

/** Values of formats that libraries check. */
const formatTexts: Readonly<Record<string, string>> = {
  'date-time': '2000-01-01T00:00:00.000Z',
  date: '2000-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'a@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  guid: '00000000-0000-4000-8000-000000000000',
  cuid: 'cjld2cjxh0000qzrmn831i7rn',
  cuid2: 'tz4a98xxat96iws9zmbrgj3a',
  ulid: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  nanoid: 'V1StGXR8_Z5jdHi6B-myT',
  ksuid: '0ujtsYcgvSTl8PAuAdqWYSMnLOv',
  xid: '9m4e2mr0ui3e8a215n4g',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.com'
}
// Texts that fit frequent patterns: the 24 hexadecimal digits of MongoDB, digits, words, newer UUIDs, local times, phone numbers.
const fallbackTexts = [
  ...['0'.repeat(24), '1', 'a', 'A', 'aaaaaaaa', '00000000', 'a-1', 'https://example.com/'],
  ...['00000000-0000-7000-8000-000000000000', '00000000-0000-6000-8000-000000000000'],
  ...['00:00', '00:00:00', '2000-01-01T00:00', '+10000000000']
]

const maxExampleDepth = 4

/**
 * A value that fits the schemas of a place, as well as that can be seen from them: a default, a constant or an example that they give, or what their format, pattern and limits say.
 *
 * @param isWhole whether objects get all of their fields, and lists an item: otherwise what they must have, as do the fields that only the server sets
 */
export function exampleOf(shape: Shape, isWhole = false, depth = 0): unknown {
  const parts = [...shape.parts]
  const first = (keyword: string) => parts.find((part) => part[keyword] !== undefined)?.[keyword]
  for (const value of [first('default'), first('const'), [first('examples')].flat()[0], [first('enum')].flat()[0]])
    if (value !== undefined) return value
  const typed = parts.find((part) => shape.shapes.reader.kinds(part) !== kindBits.all)
  // Where any value may stand, a branch of a union may still name a type.
  const allowed = shape.kinds === kindBits.all && typed !== undefined ? shape.shapes.reader.kinds(typed) : shape.kinds
  if (allowed & kindBits.string)
    return exampleText(
      parts.flatMap(({ pattern = [] }) => pattern),
      first
    )
  if (allowed & kindBits.number) return exampleNumber(first)
  if (allowed & kindBits.boolean) return false
  if (allowed & kindBits.null) return null
  if (allowed & kindBits.array) {
    const length = depth > 2 * maxExampleDepth ? 0 : lengthOfList(first, isWhole && depth < maxExampleDepth)
    return Array.from({ length }, (_, index) => exampleOf(shape.item(index).shape, isWhole, depth + 1))
  }
  const object = shape.of(firstBranchOf(shape))
  const names = isWhole && depth < maxExampleDepth ? object.names : object.required
  // A schema may ask for itself.
  if (depth > 2 * maxExampleDepth) return {}
  const exampleOfField = (name: string) => {
    const { shape, readOnly } = object.field(name)
    return exampleOf(shape, isWhole && !readOnly, depth + 1)
  }
  return Object.fromEntries(names.map((name) => [name, exampleOfField(name)]))
}

/** The tags of the first branch of each union. */
const firstBranchOf = ({ unions }: Shape): object =>
  Object.fromEntries(unions.map(({ tag, branchOf }) => [tag, [...branchOf.keys()][0]]))

type First = (keyword: string) => unknown

function exampleText(patterns: readonly string[], first: First): string {
  const length = Number(first('minLength') ?? 1)
  const byFormat = formatTexts[String(first('format'))]
  const candidates = [
    ...(byFormat === undefined ? [] : [byFormat]),
    ...['x', '0'].map((char) => char.repeat(length)),
    ...fallbackTexts
  ]
  const isFit = (text: string) => text.length >= length && patterns.every((pattern) => toRegExp(pattern).test(text))
  return candidates.find(isFit) ?? (candidates[0] as string)
}

function exampleNumber(first: First): number {
  const limit = (keyword: string, otherwise: number) => Number(first(keyword) ?? otherwise)
  const [minimum, above] = [limit('minimum', -Infinity), limit('exclusiveMinimum', -Infinity)]
  const [maximum, below] = [limit('maximum', Infinity), limit('exclusiveMaximum', Infinity)]
  const step = limit('multipleOf', 0)
  const middle = (Math.max(minimum, above) + Math.min(maximum, below)) / 2
  const candidates = [1, minimum, above + 1, maximum, below - 1, middle].flatMap((number) =>
    step > 0 ? [Math.ceil(number / step) * step, Math.floor(number / step) * step] : [number]
  )
  const isFit = (number: number) => number >= minimum && number > above && number <= maximum && number < below
  return candidates.find(isFit) ?? 1
}

const mostItems = 1000

/** How many items a list must have, or one where it may. Those of a tuple count as well. */
function lengthOfList(first: First, mayHaveMore: boolean): number {
  const items = first('items')
  const least = Math.max(Number(first('minItems') ?? 0), Array.isArray(items) ? items.length : 0, mayHaveMore ? 1 : 0)
  return Math.min(least, Number(first('maxItems') ?? least), mostItems)
}
