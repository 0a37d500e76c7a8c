import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'

/** Schemas of a number that only the server sets, by library. */
export const zodSet = () => z.int().meta({ readOnly: true })
export const valibotSet = () => v.pipe(v.number(), v.metadata({ readOnly: true }))
export const arkSet = () => type('number').configure({ readOnly: true } as object)

/** A schema of Valibot that gives its JSON Schema, as users pass it to `resource()`. */
export const standardValibot = (schema: unknown) => toStandardJsonSchema(schema as v.GenericSchema)
