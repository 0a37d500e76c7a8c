/**
 * A part of a document. It is data from anywhere: whatever it should be, it may be something else.
 */
export type Json = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own property, where there is an object that has it. */
export const propertyOf = (value: unknown, key: string, otherwise?: unknown): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : otherwise

export const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
