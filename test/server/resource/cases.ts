import { Annotations, type Described } from './annotations.js'
import { isObject } from './evaluation.js'
import { createLibrarySchema, createModels, type Models } from './random-models.js'
import { createRandom, createSchema, type Random } from './random-schemas.js'
import { createSample } from './random-values.js'

/** A schema with what is sent to its service, and what the service has stored. */
export interface Case {
  readonly seed: number
  /** Where it is written for a library, by which the rest is made. */
  readonly models?: Models
  readonly described: Described
  /** What is read of a record as it leaves, where that differs. */
  readonly leaving?: Described
  /** Bodies of `create`, `update` and `patch`. */
  readonly bodies: readonly (readonly [method: 'POST' | 'PUT' | 'PATCH', data: unknown])[]
  readonly stored: readonly unknown[]
}

/** Makes a case by a seed. */
export function createCase(seed: number): Case {
  const random = createRandom(seed + 2 ** 31)
  // One of four is of a library.
  const written = seed % 8 < 2 ? describe(createModels(random), random) : { described: createSchema(seed) }
  const { described } = written
  const annotations = new Annotations(described)
  const { sample, mutate } = createSample(annotations.references, random)
  const record = () => sample(described.document)
  const settable = () => annotations.without('readOnly', record())
  const bodies: [method: 'POST' | 'PUT' | 'PATCH', data: unknown][] = []
  for (let count = 0; count < 5; count++) {
    const fitting = Array.from({ length: 3 }, settable).find((value) => annotations.refusal(value) === undefined)
    const data = fitting ?? settable()
    bodies.push([random.chance(0.8) ? 'POST' : 'PUT', data])
    bodies.push(['POST', mutate(data)])
    const names = random.some(Object.keys(Object(data)), 0.5)
    const part = Object.fromEntries(names.map((name) => [name, Object(data)[name]]))
    bodies.push(['PATCH', random.chance(0.6) ? part : mutate(part)])
  }
  bodies.push(['POST', record()], ['PATCH', record()])
  const stored = Array.from({ length: 3 }, record).flatMap((value) => [value, mutate(value), mutate(mutate(value))])
  const asJson = <T>(values: T): T => JSON.parse(JSON.stringify(values))
  // A record is set, and leaves: that it is flagged as a whole says nothing.
  const isRecord = (value: unknown) => isObject(value) && !annotations.isFlagged(value)
  return {
    seed,
    ...written,
    bodies: asJson(bodies.filter(([, data]) => isRecord(data))),
    stored: asJson(stored.filter(isRecord))
  }
}

/** What a library says of its schema in JSON Schema. */
export function describe(models: Models, random: Random, options?: Pick<Described, 'readOnly' | 'writeOnly'>) {
  const { jsonSchema } = createLibrarySchema(models)
  const document = jsonSchema('input')
  const { properties = {} } = document as { properties?: Record<string, { type?: unknown }> }
  const some = (names: string[]) => (random.chance(0.3) ? random.some(names, 0.3) : [])
  const isScalar = (name: string) => /^(string|number|integer|boolean|null)$/.test(String(properties[name]?.type))
  const scalars = Object.keys(properties).filter(isScalar)
  const { readOnly = [], writeOnly = [] } = options ?? {
    readOnly: some(scalars),
    writeOnly: some(Object.keys(properties))
  }
  const described: Described = { document, readOnly, writeOnly }
  return { models, described, leaving: { ...described, document: jsonSchema('output') } }
}

type Judgement = { readonly reason: string } | { readonly reason?: undefined; readonly value: unknown }

/** What takes a body or says why not: the reference, or the library of the schema with what the reference says of names and flags. */
export function createJudge({ models }: Case, annotations: Annotations): (method: string, data: unknown) => Judgement {
  const { validate, validatePart } = models === undefined ? {} : createLibrarySchema(models)
  const { sample } = createSample(annotations.references, createRandom(0))
  return (method, data) => {
    const library = method === 'PATCH' ? validatePart : validate
    if (library === undefined) {
      const reason = method === 'PATCH' ? annotations.refusalOfPart(data) : annotations.refusal(data)
      return reason === undefined ? { value: data } : { reason }
    }
    const reason =
      annotations.refusedPlace(data, true) ??
      (method === 'PATCH' && Object.keys(Object(data)).length === 0 ? 'is empty' : undefined)
    if (reason !== undefined) return { reason }
    // One branch of a union may refuse what another one asks for.
    const results = [data, annotations.filled(data, sample)].map((filled) => library(filled))
    const fitting = results.find(({ issues }) => issues === undefined)
    return fitting === undefined
      ? { reason: 'does not fit' }
      : { value: annotations.without('readOnly', fitting.value) }
  }
}
