import type { Callable } from './method.js'

/**
 * A value after JSON: dates are strings, functions are removed, `undefined` in a list is `null`.
 */
export type Jsonify<T> = unknown extends T ? T : [T] extends [JSONValue] ? T : Mapped<T>

type JSONValue = string | number | boolean | null | readonly JSONValue[] | { readonly [key: string]: JSONValue }

type Mapped<T> = T extends { toJSON(...args: never[]): infer J }
  ? J
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly unknown[]
      ? { [K in keyof T]: Element<T[K]> }
      : T extends object
        ? { [K in keyof T as NonNullable<T[K]> extends Callable | symbol ? never : K]: Jsonify<T[K]> }
        : never

type Element<T> = T extends undefined ? null : Jsonify<T>
type Streamed = { pipe: Callable } | { getReader: Callable } | { arrayBuffer: Callable }

/**
 * The result of a call in the client: the result of the server after JSON, `null` for none. Bytes
 * are a `Blob`, or a string if their content type is text. A stream or a `Response` depends on its
 * content type.
 */
export type ClientResult<T> = unknown extends T
  ? T
  : T extends void
    ? null
    : T extends ArrayBufferView
      ? Blob | string
      : T extends Streamed
        ? unknown
        : Jsonify<T>
