import { plainNames, type Random } from './random-schemas.js'
import { listOf, mapOf, type Node, type References, type Schema } from './references.js'

/** Makes values that a schema may take: often, not always. Each text is another one where the schema lets it be. */
export function createSample(references: References, random: Random) {
  const any = (): unknown =>
    random.pick([
      random.marker(),
      random.below(100),
      true,
      null,
      [random.marker()],
      { [random.pick(plainNames)]: random.marker() }
    ])

  /** `undefined` where the schema says nothing. */
  function said(schema: Schema, depth: number): unknown {
    if (typeof schema === 'boolean') return undefined
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return random.pick(schema.enum)
    const target = references.target(schema)
    const parts = [
      ...(target === undefined ? [] : [target]),
      ...listOf(schema.allOf),
      ...[schema.anyOf, schema.oneOf, listOf(schema.either).filter((part) => part !== true)]
        .filter((list) => listOf(list).length > 0)
        .map((list) => random.pick(listOf(list))),
      ...[schema.then, schema.else].filter((part) => part !== undefined && random.chance(0.4)),
      ...[...mapOf(schema.dependentSchemas).values(), ...mapOf(schema.dependencies).values()].filter(() =>
        random.chance(0.4)
      )
    ] as Schema[]
    return parts.map((part) => said(part, depth)).reduce((whole, part) => merged(whole, part), typed(schema, depth))
  }

  function merged(whole: unknown, part: unknown): unknown {
    const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
    if (part === undefined) return whole
    return isRecord(whole) && isRecord(part) ? { ...(whole as object), ...(part as object) } : part
  }

  function typed(schema: Node, depth: number): unknown {
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
    if (type === 'string') return text(schema)
    if (type === 'integer') return schema.minimum === undefined ? random.below(1000) : random.below(10)
    if (type === 'number') return random.pick([1.13, 0.5, 7, 99.5, 0.07])
    if (type === 'boolean') return random.chance(0.5)
    if (type === 'null') return null
    if (type === 'array') return items(schema, depth)
    const speaks = schema.properties ?? schema.patternProperties ?? schema.required
    return type === 'object' || speaks !== undefined ? fields(schema, depth) : undefined
  }

  function text({ format, minLength = 0 }: Node): string {
    const marker = random.marker()
    const formats: Record<string, string> = {
      email: `${marker}@example.com`,
      date: '2024-02-29',
      uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      ipv4: '10.0.0.1'
    }
    return formats[String(format)] ?? marker.padEnd(Number(minLength), 'x')
  }

  function fields(schema: Node, depth: number): unknown {
    const required = (schema.required ?? []) as string[]
    const isThere = (name: string) => required.includes(name) || (depth < 4 && random.chance(0.65))
    const present = [...mapOf(schema.properties)].filter(([name, part]) => part !== false && isThere(name))
    const record = present.map(([name, part]) => [name, sample(part, depth + 1)] as const)
    const matching = [...mapOf(schema.patternProperties)].flatMap(([pattern, part]) => {
      const name = [...plainNames, 'x-9'].find((other) => new RegExp(pattern, 'u').test(other))
      return name !== undefined && depth < 4 && random.chance(0.6) ? [[name, sample(part, depth + 1)] as const] : []
    })
    const open = (schema.additionalProperties ?? schema.unevaluatedProperties) as Schema | undefined
    const isOpen = open !== undefined && open !== false && depth < 4
    const others = isOpen
      ? random.some(['other', 'd', 'x-2'], 0.4).map((name) => [name, sample(open, depth + 1)] as const)
      : []
    const missing = required
      .filter((name) => !record.some(([there]) => there === name))
      .map((name) => [name, any()] as const)
    return Object.fromEntries([...others, ...matching, ...missing, ...record])
  }

  function items(schema: Node, depth: number): unknown {
    const tuple = listOf(Array.isArray(schema.items) ? schema.items : schema.prefixItems)
    const others = (Array.isArray(schema.items) ? schema.additionalItems : schema.items) as Schema | undefined
    const more = others === false || depth > 3 ? 0 : random.below(3)
    if (depth > 4) return []
    const list = [...tuple, ...Array.from({ length: more }, () => others ?? true)].map((part) =>
      sample(part, depth + 1)
    )
    return schema.contains === undefined ? list : [...list, sample(schema.contains as Schema, depth + 1)]
  }

  function sample(schema: Schema, depth = 0): unknown {
    const value = said(schema, depth)
    return value === undefined ? any() : value
  }

  /** Changes a value somewhere: a field gone or more, another type, nothing, a value in a list. */
  function mutate(value: unknown): unknown {
    const copy = structuredClone(value)
    const objects = within(copy)
    const target = random.pick(objects)
    if (target === undefined) return any()
    const names = Object.keys(target)
    const name = random.pick(names.length > 0 ? names : ['a'])
    const replace = (other: unknown) => Object.assign(target, { [name]: other })
    const change = random.below(8)
    if (change === 0 && !Array.isArray(target)) delete (target as Record<string, unknown>)[name]
    else if (change <= 2 && !Array.isArray(target))
      Object.assign(target, { [random.pick([...plainNames, 'x-7', 'zz', 'kind'])]: any() })
    else if (change === 3) replace(null)
    else if (change === 4) replace({ [random.pick(plainNames)]: random.marker(), kind: random.pick(['one', 'two', 1]) })
    else if (change === 5) replace([random.marker(), { a: random.marker() }])
    else if (change === 6) replace(random.pick<unknown>([0, 1, '12.5', '', 1.5, -3, true]))
    else replace(any())
    return copy
  }
  return { sample, mutate }
}

/** A value and all objects and lists in it. */
function within(value: unknown): object[] {
  return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(within)] : []
}
