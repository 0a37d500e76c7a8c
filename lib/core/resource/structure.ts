import type { StandardIssue, StandardResult, StandardSchema } from '../../../types/resource.js'
import { attempt } from '../errors.js'
import { standardOf, waitingOf } from './standard-schema.js'

export type FieldResult = StandardResult<unknown>

/** The fields or branches of a schema that does not transform objects as a whole. */
export type LibraryStructure =
  | {
      /** Checks a field on its own. Returns `undefined` if the schema has no such field. */
      readonly checkField: (name: string, value: unknown) => FieldResult | Promise<FieldResult> | undefined
    }
  | {
      /** The schemas of a union or of an intersection. */
      readonly schemas: readonly unknown[]
      readonly isUnion: boolean
    }

/**
 * Returns the structure of a schema, `undefined` if it transforms objects as a whole, or its
 * library does not show it.
 */
export const structureOf = (schema: unknown): LibraryStructure | undefined =>
  structureReaders.get(standardOf(schema)?.vendor)?.(schema)

/** Creates the check of fields that have a schema each. */
const ofFields = (fields: Readonly<Record<string, unknown>>, others: unknown): LibraryStructure => ({
  checkField(name, value) {
    const validate = waitingOf(Object.hasOwn(fields, name) ? fields[name] : others)
    return validate && withName(name, validate(value))
  }
})

async function withName(name: string, result: FieldResult | Promise<FieldResult>): Promise<FieldResult> {
  const { issues, value } = (await result) as { issues?: readonly StandardIssue[]; value?: unknown }
  if (issues === undefined) return { value }
  return { issues: issues.map(({ message, path = [] }) => ({ message, path: [name, ...path] })) }
}

interface ZodSchema {
  readonly _zod: {
    readonly def: {
      readonly type: string
      readonly shape?: Readonly<Record<string, unknown>>
      readonly catchall?: unknown
      readonly options?: readonly unknown[]
      readonly left?: unknown
      readonly right?: unknown
      readonly innerType?: unknown
      readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[]
    }
  }
}

const isNever = (schema: unknown) => (schema as ZodSchema | undefined)?._zod.def.type === 'never'

function ofZod(schema: unknown): LibraryStructure | undefined {
  const {
    type,
    shape = {},
    catchall,
    options = [],
    left,
    right,
    innerType,
    checks = []
  } = (schema as ZodSchema)._zod.def
  if (checks.some(({ _zod }) => _zod.def.check === 'overwrite')) return undefined
  if (type === 'object') return ofFields(shape, isNever(catchall) ? undefined : catchall)
  if (type === 'union') return { schemas: options, isUnion: true }
  if (type === 'intersection') return { schemas: [left, right], isUnion: false }
  return type === 'readonly' ? structureOf(innerType) : undefined
}

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

function ofValibot(schema: unknown): LibraryStructure | undefined {
  const isShown = (schema as Partial<ValibotSchema>).kind === 'schema'
  const { type, entries, rest, options = [], pipe } = isShown ? (schema as ValibotSchema) : shownByValibot(schema)
  if (pipe !== undefined) return pipe.slice(1).some(transforms) ? undefined : ofValibot(pipe[0])
  if (entries !== undefined) return ofFields(entries, rest)
  if (type === 'union' || type === 'variant') return { schemas: options, isUnion: true }
  return type === 'intersect' ? { schemas: options, isUnion: false } : undefined
}

/**
 * Returns the schema behind `toStandardJsonSchema()`, which shows only its JSON Schema. The
 * converter reports each schema to the options, the whole one last, and then its actions. For a
 * pipe of several schemas it reports different ones for input and output, or the same one less
 * often than for both.
 */
export function shownByValibot(schema: unknown): Partial<ValibotSchema> {
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

interface ArkType extends StandardSchema {
  readonly branches: readonly unknown[]
  partial(): StandardSchema
  keyof(): { allows(name: string): boolean }
}

function ofArkType(schema: unknown): LibraryStructure | undefined {
  const type = schema as ArkType
  if (type.branches.length > 1) return { schemas: type.branches, isUnion: true }
  const part = attempt(() => type.partial())
  const validate = standardOf(part)?.validate
  if (validate === undefined) return undefined
  const names = type.keyof()
  return {
    checkField(name, value) {
      if (!names.allows(name)) return undefined
      const result = validate({ [name]: value }) as FieldResult
      return result.issues === undefined ? { value: (result.value as Record<string, unknown>)[name] } : result
    }
  }
}

const structureReaders: ReadonlyMap<string | undefined, (schema: unknown) => LibraryStructure | undefined> = new Map([
  ['zod', ofZod],
  ['valibot', ofValibot],
  ['arktype', ofArkType]
])
