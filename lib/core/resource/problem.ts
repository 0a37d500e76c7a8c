import type { JsonSchema } from '../../../types/standard-schema.js'
import { type Fault, maxFaults, type Path } from '../../schema/incoming.js'
import { BadRequest } from '../errors.js'

/** What is wrong with a value: an error as Ajv tells it. */
export interface Problem {
  readonly instancePath: string
  readonly keyword: string
  readonly params: Record<string, unknown>
  readonly message?: string
  readonly parentSchema?: Record<string, unknown>
}

/** Says what is wrong with a value, if anything is. */
export type Check = (value: unknown) => readonly Problem[] | undefined

/** Makes a check of a schema. */
export type Compile = (schema: object) => Check

/** The name of a place in a query or a body, as in `area[$gt]` and `address.city`. */
const names = {
  query: ([first, ...rest]: Path) => `${first}${rest.map((key) => `[${key}]`).join('')}`,
  body: (path: Path) =>
    path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`)).join('')
}

const shorten = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** What a place is called in a message. */
export const nameOf = (where: 'query' | 'body', path: Path): string => shorten(names[where](path))

type Where = 'query' | 'body'

/** The error for a place in a query or a body. `must` says what is wrong, as in `must be an integer`. */
export const refusal = (where: Where, path: Path, must: string, keyword: string): BadRequest =>
  toError(where, [{ path, must, keyword }])

/** The error for all that is wrong with a query or a body: its message says the first, and how many more there are. */
export function toError(where: Where, faults: readonly Fault[]): BadRequest {
  const byPlace = new Map(faults.toReversed().map((fault) => [JSON.stringify(fault.path), fault]))
  const [first, ...others] = [...byPlace.values()].reverse().slice(0, maxFaults) as [Fault, ...Fault[]]
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  const errors = [first, ...others].map(({ path, keyword, must }) => ({
    instancePath: path.map((key) => `/${shorten(String(key).replaceAll('~', '~0').replaceAll('/', '~1'))}`).join(''),
    keyword,
    message: must
  }))
  return new BadRequest(`${sentenceOf(where, first)}${more}`, { errors })
}

function sentenceOf(where: Where, { path, must, keyword }: Fault): string {
  if (path.length === 0) return must
  return `${nameOf(where, path)}${keyword === ofLibrary ? ':' : ''} ${must}`
}

/** The keyword of what a library says in its own words. */
export const ofLibrary = 'validate'

/** What is wrong by the problems that a check has found at a path. */
export function toFault(path: Path, problems: readonly Problem[]): Fault {
  const problem = clearest(problems)
  const inside = problem.instancePath.split('/').slice(1)
  const { missingProperty, additionalProperty, tag } = problem.params
  const last = missingProperty ?? additionalProperty ?? tag
  const keys = [...path, ...inside.map(toKey), ...(last === undefined ? [] : [String(last)])]
  const must = sentences.get(problem.keyword)?.(problem) ?? 'is not valid'
  return { path: keys, keyword: problem.keyword, must: keys.length === 0 ? `The data ${must}` : must }
}

const toKey = (part: string) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Of a union, each branch says something: what a branch says of a value of its own type tells more than the list of types. */
function clearest(problems: readonly Problem[]): Problem {
  const union = problems.at(-1) as Problem
  if (union.params.tag !== undefined) return union
  if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') return problems[0] as Problem
  const isOther = ({ keyword, instancePath }: Problem) =>
    (keyword === 'type' || keyword === 'enum' || keyword === 'const') && instancePath === union.instancePath
  return problems.slice(0, -1).find((problem) => !isOther(problem)) ?? union
}

const types = new Map(
  Object.entries({
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
    null: 'null'
  })
)
const listed = (items: readonly unknown[]) =>
  [...new Set(items)].map((item) => types.get(String(item)) ?? item).join(' or ')
const counted = (limit: unknown, unit: string) => `${limit} ${unit}${limit === 1 ? '' : 's'}`
const formats = new Map(
  Object.entries({
    'date-time': 'a date with a time, as in 2030-01-31T12:00:00Z',
    date: 'a date, as in 2030-01-31',
    time: 'a time, as in 12:00:00Z',
    email: 'an e-mail address',
    uri: 'a URL',
    uuid: 'a UUID'
  })
)
const format = (name: unknown) => `must be ${formats.get(String(name)) ?? `of the format ${name}`}`

type Sentence = (problem: Problem) => string

/** What a value must be, by the keyword of the schema that it does not fit. */
const sentences: ReadonlyMap<string, Sentence> = new Map<string, Sentence>([
  ['type', ({ params }) => `must be ${listed([params.type].flat())}`],
  ['anyOf', (problem) => tagged(problem) ?? union(problem.parentSchema?.anyOf)],
  ['oneOf', (problem) => tagged(problem) ?? union(problem.parentSchema?.oneOf)],
  ['const', ({ params }) => `must be ${params.allowedValue}`],
  ['enum', ({ params }) => `must be ${(params.allowedValues as unknown[]).map(String).join(' or ')}`],
  ['required', () => 'is required'],
  ['additionalProperties', () => 'is not known'],
  ['minimum', ({ params }) => `must be at least ${params.limit}`],
  ['maximum', ({ params }) => `must be at most ${params.limit}`],
  ['exclusiveMinimum', ({ params }) => `must be more than ${params.limit}`],
  ['exclusiveMaximum', ({ params }) => `must be less than ${params.limit}`],
  ['multipleOf', ({ params }) => `must be a multiple of ${params.multipleOf}`],
  ['minLength', ({ params }) => `must have at least ${counted(params.limit, 'character')}`],
  ['maxLength', ({ params }) => `must have at most ${counted(params.limit, 'character')}`],
  ['minItems', ({ params }) => `must have at least ${counted(params.limit, 'item')}`],
  ['maxItems', ({ params }) => `must have at most ${counted(params.limit, 'item')}`],
  ['uniqueItems', () => 'must have no item twice'],
  ['minProperties', ({ params }) => `must have at least ${counted(params.limit, 'field')}`],
  ['maxProperties', ({ params }) => `must have at most ${counted(params.limit, 'field')}`],
  ['format', ({ params }) => format(params.format)],
  // Some libraries give a pattern beside the format, which no reader wants to see.
  [
    'pattern',
    ({ params, parentSchema }) =>
      parentSchema?.format === undefined ? `must match the pattern ${params.pattern}` : format(parentSchema.format)
  ]
])

/** What the tag of a union must be, which a value has not, or has of no branch. */
const tagged = ({ params: { tags } }: Problem) => (Array.isArray(tags) ? `must be ${tags.join(' or ')}` : undefined)

/** What a value must be where it may be one of several: their types. */
function union(branches: unknown): string {
  const values = (branches as JsonSchema[]).flatMap(
    ({ const: constant, enum: list, type = [] }) => list ?? (constant === undefined ? type : [constant])
  )
  return values.length === 0 ? 'is not valid' : `must be ${listed(values)}`
}
