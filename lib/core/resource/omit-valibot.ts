import type { LibraryPlace, Omit } from './library-place.js'
import { shownByValibot } from './structure.js'

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
export const omitFromValibot: Omit = (schema, place) => {
  const { pipe } = schema as Partial<ValibotNode>
  if (pipe !== undefined) return omitFromPipe(schema as ValibotNode, pipe, place)
  if ((schema as Partial<ValibotNode>).kind === 'schema') return omitFromSchema(schema as ValibotNode, place)
  // What `toStandardJsonSchema()` returns.
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
