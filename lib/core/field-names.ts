import { likelyName } from '../schema/likely-name.js'
import type { Shape } from '../schema/shape.js'
import { idFieldOf } from './adapters/feathers.js'
import { type Describable, hooksAround } from './description.js'
import { type HookPosition, traitsOf, withTraits } from './hooks.js'
import { type ServiceHost, serviceHostOf } from './plugin-state.js'
import { rulesOf } from './resource/method-rules.js'
import { metaOf } from './service-meta.js'

/** The field names that a hook has got, and where the fields must be. */
interface NamedFields {
  /** The function that has created the hook, or the option: it begins the error. */
  readonly who: string
  readonly fields: readonly string[]
  /**
   * `'sent'`: in the data of clients, so the schema has them. `'stored'`: in the records of the
   * store, which may have columns that no schema shows. `'anywhere'`: in results, at any depth.
   */
  readonly where: 'sent' | 'stored' | 'anywhere'
}

/**
 * Checks the fields that a hook names. Services may share the hook, so any of its services may have
 * them. A service without a schema and known columns may have any field.
 *
 * A name that may be a column that no schema shows is only refused if it looks like a misspelt one.
 *
 * @throws for a misspelt name
 */
export function checkNamedFields(
  hook: unknown,
  { who, fields, where }: NamedFields,
  { app, path }: HookPosition
): void {
  const host: ServiceHost | undefined = serviceHostOf(app)
  const own = host?.entryAt(path)
  if (host === undefined || own === undefined || fields.every((field) => isKnownIn(own, field))) return
  const entries = entriesWith(hook, { app })
  const unknown = fields.filter((field) => !entries.some((entry) => isKnownIn(entry, field)))
  if (unknown.length === 0) return
  const names = new Set(entries.flatMap((entry) => [idFieldOf(entry.object), ...namesOf(entry)]))
  const isCertain =
    where === 'sent'
      ? entries.every((entry) => hasSchemas(entry, hook))
      : where === 'stored' && entries.every(columnsOf)
  for (const field of unknown) {
    const meant = (isCertain ? likelyName : misspelt)(
      field,
      [...names].filter((name) => !fields.includes(name))
    )
    if (!isCertain && meant === undefined) continue
    const lacking = where === 'stored' && isCertain ? 'which its table lacks' : 'which no schema there has'
    const hint =
      meant === undefined
        ? `There are: ${[...names].join(', ')}`
        : `Did you mean '${meant}'?${isCertain ? '' : otherwise(field)}`
    throw new Error(`${who} at '${path}' names the field '${field}', ${lacking}. ${hint}`)
  }
}

/** Adds `checkNamedFields` to the checks of a hook at the start. */
export function withFieldCheck<H extends object>(hook: H, named: NamedFields): H {
  const { check, ...traits } = traitsOf(hook)
  return withTraits(hook, {
    ...traits,
    check(position) {
      check?.(position)
      checkNamedFields(hook, named, position)
    }
  })
}

const otherwise = (field: string) => ` If the records have '${field}', add it to the schema`

/** Returns the services that have a hook. */
export function entriesWith(hook: unknown, { app }: Pick<HookPosition, 'app'>): readonly Describable[] {
  const host: ServiceHost | undefined = serviceHostOf(app)
  const isIn = ({ added }: Describable['common']) => added.some((entry) => entry.hook === hook)
  return host?.entries.filter(({ hooks, common }) => isIn(common) || isIn(hooks)) ?? []
}

/** Returns the methods of a service that run a hook. */
export const methodsWith = (hook: unknown, entry: Describable): readonly string[] =>
  [...entry.methods.keys()].filter((method) => hooksAround(entry, method, ['around']).includes(hook))

/**
 * Returns the parameters that a query of a method may have besides fields. `undefined` if the method
 * belongs to no resource.
 */
export function parametersOf({ options }: Describable, method: string): readonly string[] | undefined {
  const rules = rulesOf(options.schema?.[method])
  return rules && [...((rules.custom?.parameters ?? rules.query.more)?.operands.keys() ?? [])]
}

/** Returns the shapes of a method's body and result. `undefined` if it belongs to no resource. */
export function shapesOf({ options }: Describable, method: string): readonly Shape[] | undefined {
  const rules = rulesOf(options.schema?.[method])
  if (rules === undefined) return undefined
  const { record, outgoing, body } = rules
  const schemas = [record.incoming, record.outgoing.written, outgoing.written, ...(body ? [body.written] : [])]
  return [...new Set(schemas)].map((written) => written.shapes.root.narrow({}))
}

const columnsOf = ({ object }: Describable): readonly string[] | undefined => metaOf(object).columns

const allShapes = (entry: Describable) => Object.keys(entry.options.schema ?? {}).map((name) => shapesOf(entry, name))

function isKnownIn(entry: Describable, field: string): boolean {
  if (field === idFieldOf(entry.object) || columnsOf(entry)?.includes(field)) return true
  const shapes = allShapes(entry).flatMap((shapes) => shapes ?? [])
  if (shapes.length === 0) return columnsOf(entry) === undefined
  return shapes.some((shape) => shape.field(field).isKnown)
}

const namesOf = (entry: Describable): readonly string[] => [
  ...(columnsOf(entry) ?? []),
  ...allShapes(entry).flatMap((shapes) => shapes?.flatMap(({ names }) => names) ?? [])
]

/** Whether all methods with data that run a hook have schemas of a resource. */
const hasSchemas = (entry: Describable, hook: unknown): boolean =>
  methodsWith(hook, entry)
    .filter((name) => !['find', 'get', 'remove'].includes(name))
    .every((name) => rulesOf(entry.options.schema?.[name]) !== undefined)

/**
 * Returns the name that was meant, where the name itself may be right: one letter is wrong, missing
 * or too much, or letters are swapped. `userId` and `user` are two fields.
 */
function misspelt(name: string, names: readonly string[]): string | undefined {
  if (name.length < 5) return undefined
  const candidates = names.filter((other) => !isPartOf(name, other) && !isPartOf(other, name))
  return likelyName(name, candidates, 1) ?? candidates.find((other) => lettersOf(other) === lettersOf(name))
}

const isPartOf = (part: string, whole: string) =>
  part.length < whole.length && (whole.startsWith(part) || whole.endsWith(part))

const lettersOf = (name: string) => [...name].sort().join('')
