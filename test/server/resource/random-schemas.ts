import { createGenerator } from '../../support/random.js'
import type { Described } from './annotations.js'
import { listOf, mapOf, type Node, type Schema } from './references.js'

/** What a seed decides by. */
export interface Random {
  /** A whole number from 0 to below `count`. */
  below(count: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  some<T>(list: readonly T[], probability: number): T[]
  /** A text that is nowhere else. */
  marker(): string
}

export function createRandom(seed: number): Random {
  const next = createGenerator(seed)
  let count = 0
  // The first numbers of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 9; skipped++) next()
  const below = (limit: number) => Math.floor(next() * limit)
  const chance = (probability: number) => next() < probability
  return {
    below,
    chance,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    some: (list, probability) => list.filter(() => chance(probability)),
    marker: () => `mark-${++count}-`
  }
}

/** Names of fields, which other schemas of a search have, too. */
export const plainNames = ['a', 'b', 'c', 'd', 'secret', 'role', 'list', 'next']
const oddNames = ['x-1', 'é', 'a b', 'toString', 'constructor', '$id', "it's", 'x/y~z']
const patterns = ['^x-', '^[a-c]$', 'e', '^(secret|role)$', '^.{4,}$']

/** Where the schemas that others refer to stand, and how they are referred to. */
type Style = '$defs' | 'definitions' | '$id' | 'shared'

interface Scope {
  readonly random: Random
  readonly style: Style
  /** Whether lists by position are written by `prefixItems`, as in 2020-12, or by `items`. */
  readonly isNewer: boolean
  /** What refers to each definition. A reference in place leads to a later one, so that none leads to itself. */
  readonly refs: readonly string[]
  readonly names: readonly string[]
}

/** Whether a seed makes a schema of 2020-12. */
export const isNewer = (seed: number) => seed % 2 === 0

/** Makes a schema of a record by a seed, with the options of its resource. `prefix` keeps the names of shared schemas apart. */
export function createSchema(seed: number, prefix = `s${seed}`): Described {
  const random = createRandom(seed)
  const style = random.pick<Style>(['$defs', '$defs', 'definitions', '$id', 'shared'])
  const count = random.below(4)
  const refs = Array.from({ length: count }, (_, index) => {
    const name = `${style === 'shared' ? prefix : 'D'}-${index}`
    return style === 'shared' ? `${name}#` : style === '$id' ? name : `#/${style}/${name}`
  })
  const names = [...plainNames.slice(0, 4 + random.below(5)), ...random.some(oddNames, 0.08)]
  const scope: Scope = { random, style, isNewer: isNewer(seed), refs, names }
  const definitions = refs.map((_, index) => toNode(place(scope, 2, { after: index, isDefinition: true })))
  const root = rootOf(scope)
  const named = (node: Node, index: number) => ({ $id: `${style === 'shared' ? prefix : 'D'}-${index}`, ...node })
  const all = definitions.map((node, index) => [`D-${index}`, style === '$id' ? named(node, index) : node] as const)
  const holder = style === 'definitions' ? 'definitions' : '$defs'
  const document = {
    ...(style === '$id' && { $id: 'Record' }),
    ...root,
    ...(count > 0 && style !== 'shared' && { [holder]: Object.fromEntries(all) })
  }
  const top = topNames(root)
  return {
    document,
    shared: style === 'shared' ? definitions.map(named) : [],
    readOnly: random.chance(0.3) ? random.some(top, 0.3) : [],
    writeOnly: random.chance(0.3) ? random.some(top, 0.3) : []
  }
}

const topNames = (root: Node): string[] => [
  ...new Set([root, ...listOf(root.allOf)].flatMap((part) => [...mapOf(Object(part).properties).keys()]))
]

const toNode = (schema: Schema): Node => (typeof schema === 'boolean' ? {} : schema)

// The record itself is an object. Its parts have no flags: it is set, and leaves.
function rootOf(scope: Scope): Node {
  const { random } = scope
  const plain = () => objectOf(scope, 2)
  const kind = random.below(20)
  if (kind === 0) return { type: 'object', allOf: [plain(), plain()] }
  if (kind === 1) return { ...plain(), allOf: [plain()] }
  if (kind === 2) return { ...plain(), ...union(scope, 2) }
  if (kind === 3) return { type: 'object', ...union(scope, 2) }
  return plain()
}

/** The schema of a field or an item. */
function place(scope: Scope, depth: number, from: { after?: number; isDefinition?: boolean } = {}): Schema {
  const { random } = scope
  const { after = -1, isDefinition = false } = from
  if (!isDefinition && random.chance(0.02)) return random.chance(0.8)
  const schema =
    isDefinition && random.chance(0.8) ? objectOf(scope, depth, after) : content(scope, depth, after, isDefinition)
  return { ...schema, ...flags(random) }
}

function flags(random: Random): Node {
  if (random.chance(0.06)) return { readOnly: true }
  if (random.chance(0.09)) return { writeOnly: true }
  return random.chance(0.02) ? { readOnly: false, writeOnly: false } : {}
}

function content(scope: Scope, depth: number, after: number, isInPlace: boolean): Node {
  const { random, refs, style } = scope
  const kind = random.below(100)
  if (depth <= 0 || kind < 40) return scalar(random)
  if (kind < 54) return objectOf(scope, depth - 1, after)
  if (kind < 64) return listOfItems(scope, depth - 1)
  if (kind < 76) return union(scope, depth - 1, after)
  if (kind < 84) return intersection(scope, depth - 1, after)
  if (kind < 88) return { type: 'object', ...rest(scope, depth - 1) }
  if (kind < 90) return { type: 'object' }
  // What stands in a field may refer to anything; what stands in the same place only to what comes later.
  const isRoot = !isInPlace && style !== 'shared' && random.chance(0.25)
  if (isRoot) return { $ref: style === '$id' ? 'Record' : '#' }
  const targets = isInPlace ? refs.slice(after + 1) : refs
  return targets.length === 0 ? scalar(random) : { $ref: random.pick(targets) }
}

function scalar(random: Random): Node {
  return random.pick<() => Node>([
    () => ({ type: 'string' }),
    () => ({ type: 'string' }),
    () => ({ type: 'string', minLength: 3, maxLength: random.pick([20, 40]) }),
    () => ({ type: 'string', pattern: '^[a-z0-9-]+$' }),
    () => ({ type: 'string', format: random.pick(['email', 'date', 'uuid', 'ipv4', 'no-such-format']) }),
    () => ({ type: 'string', enum: ['draft', 'final'] }),
    () => ({ type: 'integer' }),
    () => ({ type: 'integer', minimum: 0, exclusiveMaximum: 10 }),
    () => ({ type: 'number', multipleOf: 0.01 }),
    () => ({ type: 'number', maximum: 99.5 }),
    () => ({ type: 'boolean' }),
    () => ({ type: ['string', 'null'] }),
    () => ({ type: ['integer', 'boolean'] }),
    () => ({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
    () => ({ enum: [1, 'one', null] }),
    () => ({ const: 'always' }),
    () => ({ not: { type: 'integer' } }),
    () => ({})
  ])()
}

function objectOf(scope: Scope, depth: number, after = -1, tag?: readonly [string, unknown]): Node {
  const { random } = scope
  const names = random.some(scope.names, 0.4)
  const fields = names.map((name) => [name, place(scope, depth)] as const)
  // A reference may lead back to where it stands: asked for, it would have no end.
  const hasEnd = (schema: Schema) => schema !== false && !JSON.stringify(schema).includes('"$ref"')
  const required = random.some(fields, 0.35).filter(([, schema]) => hasEnd(schema))
  const constant: [string, Node][] =
    tag === undefined ? [] : [[tag[0], { const: tag[1], ...(random.chance(0.05) && { writeOnly: true }) }]]
  const properties = Object.fromEntries(
    random.chance(0.5)
      ? [...constant, ...fields.filter(([name]) => name !== tag?.[0])]
      : [...fields.filter(([name]) => name !== tag?.[0]), ...constant]
  )
  const asked = [
    ...constant.map(([name]) => name),
    ...required.map(([name]) => name).filter((name) => name !== tag?.[0])
  ]
  const schema: Node = { type: 'object', properties, ...(asked.length > 0 && { required: asked }) }
  return {
    ...schema,
    ...(random.chance(0.35) && rest(scope, depth - 1)),
    ...(random.chance(0.2) && condition(scope, depth, names, after))
  }
}

/** What an object says of names that it does not spell out. */
function rest(scope: Scope, depth: number): Node {
  const { random } = scope
  const byPattern = () =>
    Object.fromEntries(random.some(patterns, 0.4).map((pattern) => [pattern, place(scope, depth)]))
  return random.pick<() => Node>([
    () => ({ additionalProperties: true }),
    () => ({ additionalProperties: false }),
    () => ({ additionalProperties: place(scope, depth) }),
    () => ({ patternProperties: byPattern() }),
    () => ({ patternProperties: byPattern(), additionalProperties: random.chance(0.5) }),
    () => ({ unevaluatedProperties: random.pick<() => Schema>([() => true, () => false, () => place(scope, depth)])() })
  ])()
}

/** What an object says under a condition. */
function condition(scope: Scope, depth: number, names: readonly string[], after: number): Node {
  const { random, isNewer } = scope
  const name = random.pick([...names, 'a'])
  const other = () => withoutEnd(partOf(scope, depth - 1, after))
  return random.pick<() => Node>([
    () => conditional({ properties: { [name]: scalar(random) } }, other()),
    () => conditional({ required: [name] }, other(), other()),
    () => (isNewer ? { dependentSchemas: { [name]: other() } } : { dependencies: { [name]: other() } }),
    () =>
      isNewer
        ? { dependentRequired: { [name]: [random.pick([...names, 'b'])] } }
        : { dependencies: { [name]: [random.pick([...names, 'b'])] } },
    () => ({ minProperties: random.below(3) }),
    () => ({ maxProperties: 3 + random.below(5) }),
    () => ({ not: { required: [random.pick(plainNames), 'no'] } }),
    () => ({ propertyNames: { maxLength: 8 } })
  ])()
}

// A literal with `then` would look like a promise.
const conditional = (condition: Node, then: Node, otherwise?: Node): Node =>
  Object.fromEntries([['if', condition], ['then', then], ...(otherwise === undefined ? [] : [['else', otherwise]])])

const withoutEnd = ({ additionalProperties, unevaluatedProperties, ...schema }: Node): Node => ({
  ...schema,
  ...(additionalProperties !== undefined && typeof additionalProperties === 'object' && { additionalProperties })
})

/** A part of an intersection: an object that may leave names to the others, or a reference. */
function partOf(scope: Scope, depth: number, after: number): Node {
  const { random, refs } = scope
  const targets = refs.slice(after + 1)
  if (targets.length > 0 && random.chance(0.25)) return { $ref: random.pick(targets) }
  const part = objectOf(scope, depth, after)
  return random.chance(0.8) ? withoutEnd(part) : part
}

function intersection(scope: Scope, depth: number, after: number): Node {
  const { random } = scope
  const parts = Array.from({ length: 1 + random.below(3) }, () => partOf(scope, depth, after))
  if (random.chance(0.15)) parts.push(union(scope, depth - 1, after))
  const flagged = parts.map((part) => (random.chance(0.04) ? { ...part, ...flags(random) } : part))
  return {
    ...(random.chance(0.6) && { type: 'object' }),
    ...(random.chance(0.3) && { properties: toNode(objectOf(scope, depth - 1)).properties }),
    allOf: flagged,
    ...(random.chance(0.12) && { unevaluatedProperties: random.chance(0.7) ? false : place(scope, depth - 1) })
  }
}

function union(scope: Scope, depth: number, after = -1): Node {
  const { random } = scope
  const keyword = random.pick(['anyOf', 'oneOf'])
  const count = 2 + random.below(2)
  const kind = random.below(10)
  if (kind < 5) {
    const tag = random.pick(['kind', 'type', 'x-kind'])
    const values = random.pick<readonly unknown[]>([
      ['one', 'two', 'three'],
      [1, 2, 3],
      [true, false, null]
    ])
    const branches = Array.from({ length: count }, (_, index) => objectOf(scope, depth, after, [tag, values[index]]))
    return { [keyword]: random.chance(0.15) ? [...branches, { type: 'null' }] : branches }
  }
  if (kind < 8)
    return {
      [keyword]: Array.from({ length: count }, () =>
        random.chance(0.7) ? partOf(scope, depth, after) : scalar(random)
      )
    }
  if (kind < 9) return { anyOf: [listOfItems(scope, depth), partOf(scope, depth, after)] }
  const names = random.some(scope.names, 0.3)
  return { anyOf: [...names, 'a'].map((name) => ({ required: [name] })) }
}

function listOfItems(scope: Scope, depth: number): Node {
  const { random, isNewer } = scope
  const limits: Node = { ...(random.chance(0.1) && { maxItems: 3 }), ...(random.chance(0.05) && { uniqueItems: true }) }
  const contains = random.chance(0.08) ? { contains: place(scope, depth - 1) } : {}
  if (random.chance(0.6)) return { type: 'array', items: place(scope, depth), ...limits, ...contains }
  if (random.chance(0.1)) return { type: 'array' }
  const tuple = Array.from({ length: 1 + random.below(2) }, () => place(scope, depth))
  const others = random.pick<() => Node>([
    () => ({}),
    () => ({ others: false }),
    () => ({ others: place(scope, depth) })
  ])()
  const written = 'others' in others ? { [isNewer ? 'items' : 'additionalItems']: others.others } : {}
  return { type: 'array', [isNewer ? 'prefixItems' : 'items']: tuple, ...written, ...limits }
}
