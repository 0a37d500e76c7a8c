import type { StandardIssue } from '../../../types/resource.js'
import type { JsonSchema } from '../../../types/standard-schema.js'
import { type Issue, maxIssues, type Path } from '../../schema/issue.js'
import { escapeKey, parsePointer } from '../../schema/pointer.js'
import { BadRequest } from '../errors.js'

/** An error of Ajv. */
export interface AjvError {
  readonly instancePath: string
  readonly keyword: string
  readonly params: Record<string, unknown>
  readonly message?: string
  readonly parentSchema?: Record<string, unknown>
}

/** Returns the problems of a value, `undefined` if it is valid. */
export type Check = (value: unknown) => readonly AjvError[] | undefined

/** Creates the check of a schema. */
export type Compile = (schema: object) => Check

/** Return the name of a place in a query or a body, as in `area[$gt]` and `address.city`. */
const placeNames = {
  query: ([first, ...rest]: Path) => `${first}${rest.map((key) => `[${key}]`).join('')}`,
  body: (path: Path) =>
    path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`)).join('')
}

const shorten = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** Returns the name of a place for a message. */
const placeName = (where: 'query' | 'body', path: Path): string => shorten(placeNames[where](path))

type Where = 'query' | 'body'

/**
 * Creates the error for a place in a query or a body. `must` is part of a sentence, as in `must be
 * an integer`.
 */
export const refusal = (where: Where, path: Path, must: string, keyword: string): BadRequest =>
  toBadRequest(where, [{ path, must, keyword }])

/**
 * Creates the error for all issues of a query or a body. The message has the first one, and the
 * number of others.
 */
export function toBadRequest(where: Where, issues: readonly Issue[]): BadRequest {
  const byPlace = new Map(issues.toReversed().map((issue) => [JSON.stringify(issue.path), issue]))
  const [first, ...others] = [...byPlace.values()].reverse().slice(0, maxIssues) as [Issue, ...Issue[]]
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  const errors = [first, ...others].map(({ path, keyword, must }) => ({
    instancePath: path.map((key) => `/${shorten(escapeKey(String(key)))}`).join(''),
    keyword,
    message: must
  }))
  return new BadRequest(`${sentenceOf(where, first)}${more}`, { errors })
}

function sentenceOf(where: Where, { path, must, keyword }: Issue): string {
  if (path.length === 0) return must
  return `${placeName(where, path)}${keyword === libraryKeyword ? ':' : ''} ${must}`
}

/** The keyword of an issue with a message of the schema library. */
export const libraryKeyword = 'validate'

/**
 * Returns the path of an issue. Lists of ArkType have their own class, whose `map` adds the length
 * to an empty list.
 */
export const issuePath = (path: StandardIssue['path'] = []): Path =>
  [...path]
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key) => (typeof key === 'number' ? key : String(key)))

/**
 * Returns the clearest of the problems that a check has found at a path.
 * @param whole the name of the value without a path
 */
export function toIssue(path: Path, problems: readonly AjvError[], whole = 'The data'): Issue {
  const problem = clearest(problems)
  const { missingProperty, additionalProperty } = problem.params
  const last = missingProperty ?? additionalProperty
  const keys = [
    ...path,
    ...parsePointer(problem.instancePath).map(pathKey),
    ...(last === undefined ? [] : [String(last)])
  ]
  const must = sentences.get(problem.keyword)?.(problem) ?? 'is not valid'
  return { path: keys, keyword: problem.keyword, must: keys.length === 0 ? `${whole} ${must}` : must }
}

const pathKey = (key: string) => (/^\d+$/.test(key) ? Number(key) : key)

/**
 * Returns the most helpful problem. Each branch of a union reports one: the branch whose type
 * fits the value is more helpful than the list of types.
 */
function clearest(problems: readonly AjvError[]): AjvError {
  // A condition adds a problem behind those of its branch.
  const last = problems.findLastIndex(({ keyword }) => keyword !== 'if')
  const union = problems[last] as AjvError
  if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') return problems[0] as AjvError
  const isOther = ({ keyword, instancePath }: AjvError) =>
    (keyword === 'type' || keyword === 'enum' || keyword === 'const') && instancePath === union.instancePath
  return problems.slice(0, last).find((problem) => !isOther(problem)) ?? union
}

const typePhrases = new Map(
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
const joinByOr = (items: readonly unknown[]) =>
  [...new Set(items)].map((item) => typePhrases.get(String(item)) ?? item).join(' or ')
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
const formatSentence = (name: unknown) => `must be ${formats.get(String(name)) ?? `of the format ${name}`}`

const enumText = (value: unknown) => (Object(value) === value ? JSON.stringify(value) : String(value))

/** The most values of an `enum` in a sentence. */
const mostListed = 50

function enumTexts(values: readonly unknown[]): string {
  const texts = values.slice(0, mostListed).map(enumText)
  const more = values.length - texts.length
  return [...texts, ...(more > 0 ? [`one of ${more} others`] : [])].join(' or ')
}

type Sentence = (problem: AjvError) => string

/** The sentences for invalid values, by the keyword of the schema. */
const sentences: ReadonlyMap<string, Sentence> = new Map<string, Sentence>([
  ['type', ({ params }) => `must be ${joinByOr([params.type].flat())}`],
  ['anyOf', ({ parentSchema }) => unionSentence(parentSchema?.anyOf)],
  ['oneOf', ({ parentSchema }) => unionSentence(parentSchema?.oneOf)],
  ['const', ({ params }) => `must be ${enumText(params.allowedValue)}`],
  ['enum', ({ params }) => `must be ${enumTexts(params.allowedValues as readonly unknown[])}`],
  ['required', ({ parentSchema }) => discriminatorSentence(parentSchema) ?? 'is required'],
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
  ['format', ({ params }) => formatSentence(params.format)],
  // zod writes a pattern beside a format. The format is easier to read.
  [
    'pattern',
    ({ params, parentSchema }) =>
      parentSchema?.format === undefined
        ? `must match the pattern ${params.pattern}`
        : formatSentence(parentSchema.format)
  ]
])

/** Lists the constants of a discriminator that is missing. */
function discriminatorSentence({ discriminator, properties }: Record<string, unknown> = {}): string | undefined {
  const { propertyName } = Object(discriminator) as { propertyName?: string }
  const values = propertyName === undefined ? undefined : Object(properties)[propertyName]?.enum
  return Array.isArray(values) ? `must be ${enumTexts(values)}` : undefined
}

/** Lists the types of the branches of a union. */
function unionSentence(branches: unknown): string {
  const values = (branches as JsonSchema[]).flatMap(
    ({ const: constant, enum: list, type = [] }) => list ?? (constant === undefined ? type : [constant])
  )
  return values.length === 0 ? 'is not valid' : `must be ${joinByOr(values)}`
}
