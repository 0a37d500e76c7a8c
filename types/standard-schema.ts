/** A JSON Schema of draft 7 or 2020-12, with the keywords of OpenAPI and TypeBox. */
export interface JsonSchema {
  readonly $ref?: string
  readonly $id?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly nullable?: boolean
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly required?: readonly string[]
  readonly properties?: SchemaMap
  readonly patternProperties?: SchemaMap
  readonly additionalProperties?: SchemaValue
  readonly unevaluatedProperties?: SchemaValue
  readonly items?: SchemaValue | readonly SchemaValue[]
  readonly prefixItems?: readonly SchemaValue[]
  readonly additionalItems?: SchemaValue
  readonly unevaluatedItems?: SchemaValue
  readonly contains?: SchemaValue
  readonly allOf?: readonly SchemaValue[]
  readonly anyOf?: readonly SchemaValue[]
  readonly oneOf?: readonly SchemaValue[]
  readonly if?: SchemaValue
  readonly then?: SchemaValue
  readonly else?: SchemaValue
  readonly not?: SchemaValue
  readonly dependencies?: Readonly<Record<string, SchemaValue | readonly string[]>>
  readonly dependentSchemas?: SchemaMap
  readonly definitions?: SchemaMap
  readonly $defs?: SchemaMap
  readonly [keyword: string]: unknown
}

/** A JSON Schema, or `true` for any value, or `false` for none. */
export type SchemaValue = JsonSchema | boolean

/** JSON Schemas by name. */
export type SchemaMap = Readonly<Record<string, SchemaValue>>

/**
 * Standard Schema with Standard JSON Schema (https://standardschema.dev), which libraries
 * implement.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly validate?: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly jsonSchema?: {
      readonly input: (options: JsonSchemaOptions) => Record<string, unknown>
      readonly output: (options: JsonSchemaOptions) => Record<string, unknown>
    }
  }
}

interface JsonSchemaOptions {
  readonly target: 'draft-07' | 'draft-2020-12'
  readonly libraryOptions?: Record<string, unknown>
}

/** The result of a validation: the value, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One validation problem, as schema libraries report it. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type Typed<T> = { readonly '~standard': { readonly types?: T | undefined } }

/** The type of the values that clients send by a schema. */
export type InputOf<S> = S extends Typed<infer T> ? NonNullable<T>['input' & keyof NonNullable<T>] : Static<S>

/** The type of the values that a schema returns, after transformations. */
export type OutputOf<S> = S extends Typed<infer T> ? NonNullable<T>['output' & keyof NonNullable<T>] : Static<S>

/** The type of the values that clients receive: the output, with the input of each codec of zod. */
export type WireOf<S> = ZodWire<S, OutputOf<S>>

type DefinitionOf<S> = S extends { readonly _zod: { readonly def: infer D } } ? D : never
type Nothing = null | undefined

/**
 * The output `O` of a schema of zod on the wire. It has a name, since declarations can't write a
 * recursive type.
 */
export type ZodWire<S, O> = [DefinitionOf<S>] extends [never]
  ? O
  : DefinitionOf<S> extends { readonly reverseTransform: (...args: never) => unknown; readonly in: infer I }
    ? InputOf<I>
    : IsSame<InputOf<S>, O> extends true
      ? O
      : DefinitionOf<S> extends { readonly shape: infer F }
        ? { [K in keyof O]: K extends keyof F ? ZodWire<F[K], O[K]> : O[K] }
        : DefinitionOf<S> extends { readonly innerType: infer I }
          ? ZodWire<I, Exclude<O, Nothing>> | Extract<O, Nothing>
          : DefinitionOf<S> extends { readonly element: infer I }
            ? ZodWire<I, OutputOf<I>>[]
            : DefinitionOf<S> extends { readonly valueType: infer I }
              ? { [K in keyof O]: ZodWire<I, O[K]> }
              : DefinitionOf<S> extends { readonly options: readonly (infer I)[] }
                ? I extends unknown
                  ? ZodWire<I, OutputOf<I>>
                  : never
                : O

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

interface TypeByName {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
  object: Record<string, unknown>
  array: unknown[]
}

/** A JSON Schema of a file. */
type FileSchema = { readonly format: 'binary' } | { readonly contentMediaType: string }

/**
 * The type of a JSON Schema, and so of one of TypeBox, whose own types have the same members.
 * `Root` is the schema whose definitions its references name.
 */
type Static<S, Root = S> = S extends { readonly static: infer T }
  ? T
  : S extends { readonly '~unsafe': infer T }
    ? T
    : S extends { readonly nullable: true }
      ? ByKeywords<S, Root> | null
      : ByKeywords<S, Root>

type ByKeywords<S, Root> = S extends { readonly enum: infer V extends readonly unknown[] }
  ? V[number]
  : S extends { readonly const: infer V }
    ? V
    : S extends { readonly anyOf: infer B extends readonly unknown[] }
      ? Static<B[number], Root>
      : S extends { readonly allOf: infer B extends readonly unknown[] }
        ? All<B, Root>
        : S extends { readonly $ref: infer R }
          ? Referred<R, S extends { readonly $defs: unknown } ? S : Root> & Beside<S, Root>
          : Structure<S, Root>

// The fields beside a reference.
type Beside<S, Root> = S extends { readonly properties: infer P } ? FieldTypes<P, S, Root> : unknown

// A reference to another document may lead to anything. The references of `Type.Cyclic`
// are bare names.
type Referred<R, Root> = R extends '#'
  ? ReferredType<Root, Root>
  : R extends `#/${infer Keyword}/${infer Name}`
    ? ReferredType<PartOf<PartOf<Root, Keyword>, Name>, Root>
    : ReferredType<PartOf<PartOf<Root, '$defs'>, R>, Root>

// A recursive list or union has no finite type, and may be anything. Fields of
// objects are read one by one.
type ReferredType<S, Root> = S extends
  | { readonly anyOf: unknown }
  | { readonly allOf: unknown }
  | { readonly items: unknown }
  ? unknown
  : Static<S, Root>

type PartOf<T, K> = K extends keyof T ? T[K] : unknown

type Structure<S, Root> = S extends FileSchema
  ? S extends { readonly contentEncoding: infer E extends string }
    ? E extends 'binary'
      ? File
      : string
    : File
  : Nested<S, Root>

type Nested<S, Root> = S extends { readonly properties: infer P }
  ? FieldTypes<P, S, Root>
  : S extends { readonly patternProperties: infer P }
    ? Record<string, Static<P[keyof P], Root>>
    : S extends { readonly items: infer I }
      ? I extends readonly unknown[]
        ? { -readonly [K in keyof I]: Static<I[K], Root> }
        : Static<I, Root>[]
      : S extends { readonly type: infer T }
        ? T extends readonly unknown[]
          ? TypeByName[T[number] & keyof TypeByName]
          : T extends keyof TypeByName
            ? TypeByName[T]
            : unknown
        : unknown

type All<B, Root> = B extends readonly [infer First, ...infer Rest] ? Static<First, Root> & All<Rest, Root> : unknown

// TypeBox marks a field that is optional; elsewhere it is one that `required` does not name.
type OptionalKey<P, S> = {
  [K in keyof P]: P[K] extends { readonly '~optional': true }
    ? K
    : S extends { readonly '~kind': unknown }
      ? never
      : S extends { readonly required: readonly (infer R)[] }
        ? K extends R
          ? never
          : K
        : K
}[keyof P]

type FieldTypes<P, S, Root> = { -readonly [K in Exclude<keyof P, OptionalKey<P, S>>]: Static<P[K], Root> } & {
  -readonly [K in OptionalKey<P, S>]?: Static<P[K], Root>
} extends infer T
  ? { [K in keyof T]: T[K] }
  : never
