import type { StandardSchema } from '../../../types/standard-schema.js'
import type { LibraryPlace, Omit } from './omit.js'
import {
  fieldsStructure,
  isOtherPattern,
  type LibraryStructure,
  refusedKeyword,
  type SchemaLibrary
} from './standard-schema.js'

interface ValibotItem {
  readonly kind: string
  readonly type: string
}

interface ValibotSchema extends ValibotItem {
  readonly entries?: Readonly<Record<string, unknown>>
  readonly rest?: unknown
  readonly options?: readonly unknown[]
  readonly pipe?: readonly [ValibotSchema, ...ValibotItem[]]
}

const namesOfTypes = new Set(['brand', 'flavor', 'readonly'])
const transforms = ({ kind, type }: ValibotItem) =>
  kind === 'schema' || (kind === 'transformation' && !namesOfTypes.has(type))

function valibotStructure(schema: unknown): LibraryStructure | undefined {
  const isShown = (schema as Partial<ValibotSchema>).kind === 'schema'
  const { type, entries, rest, options = [], pipe } = isShown ? (schema as ValibotSchema) : shownByValibot(schema)
  if (pipe !== undefined) return pipe.slice(1).some(transforms) ? undefined : valibotStructure(pipe[0])
  if (entries !== undefined) return fieldsStructure(entries, rest)
  return type === 'union' || type === 'variant' ? { branches: options } : undefined
}

/**
 * Returns the schema behind `toStandardJsonSchema()`, which shows only its JSON Schema. The
 * converter reports each schema to the options, the whole one last, and then its actions. For a
 * pipe of several schemas it reports different ones for input and output, or the same one less
 * often than for both.
 */
function shownByValibot(schema: unknown): Partial<ValibotSchema> {
  const { jsonSchema } = (schema as Required<StandardSchema>)['~standard']
  const tell = (typeMode: 'input' | 'output' | 'ignore') => {
    const schemas: unknown[] = []
    let actions: unknown[] = []
    const libraryOptions = {
      typeMode,
      errorMode: 'ignore',
      overrideSchema({ valibotSchema }: { valibotSchema: unknown }) {
        schemas.push(valibotSchema)
        actions = []
      },
      overrideAction({ valibotAction }: { valibotAction: unknown }) {
        actions.push(valibotAction)
      }
    }
    jsonSchema?.input({ target: 'draft-07', libraryOptions })
    const whole = schemas.at(-1)
    return { whole, count: schemas.filter((other) => other === whole).length, actions }
  }
  const [sent, resulting, all] = [tell('input'), tell('output'), tell('ignore')]
  if (sent.whole === undefined || sent.whole !== resulting.whole || resulting.count !== all.count) return {}
  return { pipe: [sent.whole as ValibotSchema, ...(resulting.actions as ValibotItem[])] }
}

interface Dataset {
  typed: boolean
  value: unknown
  readonly issues?: readonly unknown[]
}

interface Step {
  readonly kind: string
  readonly '~run': (dataset: Dataset, config: object) => Dataset | Promise<Dataset>
}

interface ValibotNode extends Step {
  readonly type: string
  readonly pipe?: readonly Step[]
  readonly [part: string]: unknown
}

/**
 * Schemas of Valibot are plain objects, and their `~run` reads the parts of the object that it is
 * called on.
 */
const omitFromValibot: Omit = (schema, place) => {
  const { pipe } = schema as Partial<ValibotNode>
  if (pipe !== undefined) return omitFromPipe(schema as ValibotNode, pipe, place)
  if ((schema as Partial<ValibotNode>).kind === 'schema') return omitFromSchema(schema as ValibotNode, place)
  // The result of `toStandardJsonSchema()`.
  const shown = shownByValibot(schema).pipe as readonly Step[] | undefined
  if (shown === undefined) return place.refuse('Valibot does not show the fields of this schema')
  const [first] = shown
  return shown.length === 1 ? place.omit(first) : omitFromPipe(first as ValibotNode, shown, place)
}

function omitFromSchema(schema: ValibotNode, place: LibraryPlace): object {
  const { type, entries, rest, options, item, items, wrapped, value, getter } = schema
  if ('fallback' in schema) return place.refuse('v.fallback() keeps the schema that it was given')
  const copy: Record<string, unknown> = withStandard({ ...schema })
  const complete = () => {
    if (entries !== undefined) {
      const kept = Object.entries(entries as object).filter(([name]) => !place.lacks(name))
      copy.entries = Object.fromEntries(kept.map(([name, field]) => [name, place.field(name).omit(field)]))
      copy.rest = place.others.omit(rest)
    } else if (items !== undefined) {
      copy.items = (items as unknown[]).map((inner, index) => place.item(index).omit(inner))
      copy.rest = place.item((items as unknown[]).length).omit(rest)
    } else if (item !== undefined) copy.item = place.item(0).omit(item)
    else if (wrapped !== undefined) copy.wrapped = place.omit(wrapped)
    else if (type === 'record') copy.value = place.others.omit(value)
    else if (type === 'intersect') copy.options = (options as unknown[]).map((option) => place.omit(option))
    else if (type === 'union' || type === 'variant') {
      const branches = place.branches((options as unknown[]).length)
      copy.options = (options as unknown[]).map((option, index) => branches[index]?.omit(option))
    } else if (type === 'lazy') {
      const omitted = (input: unknown) => place.omitAll((getter as (input: unknown) => unknown)(input))
      copy.getter = omitted
      omitted(undefined)
    }
  }
  return place.begin(schema, copy, complete)
}

/** Replaces the Standard Schema, which would check by the object that it was made for. */
function withStandard<T extends object>(schema: T): T {
  const validate = (value: unknown) => {
    const finish = ({ value, issues }: Dataset) => (issues === undefined ? { value } : { issues })
    const dataset = (schema as T & Step)['~run']({ typed: false, value }, {})
    return dataset instanceof Promise ? dataset.then(finish) : finish(dataset)
  }
  return Object.defineProperty(schema, '~standard', { value: { version: 1, vendor: 'valibot', validate } })
}

function omitFromPipe(schema: ValibotNode, pipe: readonly Step[], place: LibraryPlace): object {
  const isTransformation = ({ kind }: Step) => kind === 'transformation'
  const isDescribed = !pipe.slice(pipe.findIndex(isTransformation)).some(({ kind }) => kind === 'schema')
  if (pipe.some(isTransformation) && !isDescribed) place.refuse('a transformation is followed by another schema')
  const steps = pipe.map((step) => (step.kind === 'schema' ? (place.omit(step) as Step) : step))
  return withStandard({ ...schema, pipe: steps, '~run': runSteps(steps) })
}

/** Runs a pipe as Valibot does: its own `~run` keeps the steps that it was made with. */
const runSteps =
  (steps: readonly Step[]): Step['~run'] =>
  (start, config) => {
    const run = (dataset: Dataset, index: number): Dataset | Promise<Dataset> => {
      const step = steps[index]
      if (step === undefined) return dataset
      if (dataset.issues !== undefined && (step.kind === 'schema' || step.kind === 'transformation')) {
        dataset.typed = false
        return dataset
      }
      const next = step.kind === 'metadata' ? dataset : step['~run'](dataset, config)
      return next instanceof Promise ? next.then((done) => run(done, index + 1)) : run(next, index + 1)
    }
    return run(start, 0)
  }

interface ValibotPart {
  readonly valibotSchema: { readonly type: string }
  readonly jsonSchema: object
  readonly errors?: readonly string[]
}

interface ValibotAction {
  readonly valibotAction: { readonly type: string; readonly requirement?: unknown }
  readonly jsonSchema: { readonly pattern?: string }
}

// The JSON Schema of a loose object does not say that it is open.
const opened = ({ valibotSchema, jsonSchema }: ValibotPart) =>
  valibotSchema.type === 'loose_object' ? { ...jsonSchema, additionalProperties: {} } : undefined

// Skips actions that JSON Schema has no keyword for. A schema that it can't describe at all, such
// as a date, is still an error.
const withoutActions = {
  errorMode: 'ignore',
  overrideSchema(part: ValibotPart) {
    const [error] = part.errors ?? []
    if (error !== undefined) throw new TypeError(error)
    return opened(part)
  },
  overrideAction({ valibotAction, jsonSchema }: ValibotAction) {
    if (valibotAction.type !== 'regex' || !isOtherPattern(valibotAction.requirement)) return undefined
    const { pattern, ...others } = jsonSchema
    return others
  }
}

// Transformations whose result may be of another kind than their input. Others, such as `trim`,
// keep the kind.
const changesKind = new Set(
  'transform raw_transform map_items reduce_items find_item parse_json stringify_json parse_boolean to_bigint to_boolean to_date to_number to_string'.split(
    ' '
  )
)

const withoutResults = {
  errorMode: 'ignore',
  overrideSchema: (part: ValibotPart) => (part.errors === undefined ? opened(part) : {}),
  overrideAction: (part: ValibotAction) =>
    changesKind.has(part.valibotAction.type) ? {} : withoutActions.overrideAction(part)
}

export const valibot: SchemaLibrary = {
  structureOf: valibotStructure,
  omit: omitFromValibot,
  omitExample: "toStandardJsonSchema(v.omit(book, ['id']))",
  jsonSchemaOptions: { overrideSchema: opened },
  undescribedOptions: withoutResults,
  inputFallbackOptions: withoutActions,
  markRefused: {
    errorMode: 'ignore',
    overrideSchema: ({ errors }: ValibotPart) => (errors === undefined ? undefined : { [refusedKeyword]: true })
  }
}
