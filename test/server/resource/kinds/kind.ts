import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as arktype, scope as arktypeScope } from 'arktype'
import Type from 'typebox'
import Value from 'typebox/value'
import * as v from 'valibot'
import * as z from 'zod'

export const libraries = ['zod', 'typebox', 'arktype', 'valibot'] as const
export type Library = (typeof libraries)[number]

/** How each library writes a field, where it can. Each is called once for each use, so that what fails is a row and no file. */
export type Columns = { readonly [Name in Library]?: () => unknown }

/** A kind of field, with values that tell whether it is held to. The library says itself which of them it takes. */
export interface Kind extends Columns {
  /** Values that all of the libraries take. */
  readonly valid?: readonly unknown[]
  /** Values that none of them takes. */
  readonly invalid?: readonly unknown[]
  /** Values about which the libraries disagree: each is asked. */
  readonly either?: readonly unknown[]
  /** Values with a name that the schema does not have, which is refused whatever the library does with it. */
  readonly unknown?: readonly unknown[]
  /** What a query by the field does: compares with its value, with one of its items, is refused, or either. */
  readonly query: 'value' | 'item' | 'none' | 'either'
  /** What the error at the start says, by the library whose field JSON can't hold. */
  readonly refused?: { readonly [Name in Library]?: RegExp }
  /** What the error at the start says, where there may be one in place of all that the row asks. */
  readonly mayBeRefused?: RegExp
  /** The libraries whose rule their JSON Schema does not say: of a part of a record, JSON Schema may be all there is. */
  readonly beyond?: readonly Library[]
  /** Whether the library gives no JSON Schema of what it makes of a value, so that nothing is promised of how it is sent. */
  readonly untyped?: true
  /** Whether Valibot has actions in it that JSON Schema can't say, and is told to leave them out of it. */
  readonly ignores?: true
  /** Whether the columns are schemas of whole records, and the values whole bodies. */
  readonly whole?: true
  /** In place of the library: whether a value is taken. */
  readonly accepts?: (value: unknown) => boolean
}

export type Kinds = Readonly<Record<string, Kind>>

interface Standard {
  readonly '~standard': {
    validate(value: unknown): { issues?: readonly unknown[]; value?: unknown } | Promise<unknown>
  }
}

/** ArkType's, without the types of its definitions. */
export const ark = arktype as unknown as (definition: unknown) => {
  configure(meta: object): unknown
  narrow(check: (value: never) => boolean): unknown
  optional(): unknown
  default(value: unknown): unknown
  pipe(to: (value: never) => unknown): unknown
}
export const scope = (types: object, name: string): unknown =>
  (arktypeScope as unknown as (types: object) => { export(): Record<string, unknown> })(types).export()[name]

/** TypeBox's, for a JSON Schema as it is written. */
export const json = (schema: unknown): unknown => Type.Unsafe(schema as object)

/** A record with an id and the field, by library. */
const withField = {
  zod: (field: unknown) => z.object({ id: z.int(), f: field as z.ZodType }),
  typebox: (field: unknown) => Type.Object({ id: Type.Integer(), f: field as ReturnType<typeof Type.Any> }),
  arktype: (field: unknown) => ark({ id: 'number.integer', f: field }),
  valibot: (field: unknown) => v.object({ id: v.pipe(v.number(), v.integer()), f: field as v.GenericSchema })
}

/** The schema of a record `{ id, f }` with a field of this kind, or of a whole record. */
export function toRecord(library: Library, kind: Columns & Pick<Kind, 'whole' | 'ignores'>): unknown {
  const column = kind[library]?.()
  const record = kind.whole ? column : withField[library](column)
  if (library !== 'valibot') return record
  return kind.ignores ? withoutActions(record as v.GenericSchema) : toStandardJsonSchema(record as v.GenericSchema)
}

/** As `toStandardJsonSchema`, which takes no options itself, with actions left out that JSON Schema can't say. */
function withoutActions(schema: v.GenericSchema): unknown {
  const convert =
    (typeMode: 'input' | 'output') =>
    ({ libraryOptions }: { libraryOptions?: object }) =>
      toJsonSchema(schema, { typeMode, ...libraryOptions, errorMode: 'ignore', target: 'draft-07' })
  return {
    '~standard': { ...schema['~standard'], jsonSchema: { input: convert('input'), output: convert('output') } }
  }
}

/** What the library makes of a record; `undefined` where it refuses it. */
export type Judge = (record: object) => object | undefined

/** Asks the library itself. TypeBox has no validator of its own kind of schema beside `Value`, which adds defaults apart. */
export function judgeOf(library: Library, schema: unknown): Judge {
  if (library === 'typebox') {
    const type = schema as ReturnType<typeof Type.Any>
    return (record) => {
      const value = Value.Default(type, structuredClone(record)) as object
      return Value.Check(type, value) ? value : undefined
    }
  }
  const { validate } = (schema as Standard)['~standard']
  return (record) => {
    const result = validate(structuredClone(record))
    if (result instanceof Promise) throw new TypeError('A library that answers later is no judge here')
    return result.issues === undefined ? (result.value as object) : undefined
  }
}
