import { STATUS_CODES } from 'node:http'
import { byCode } from '../core/error-classes.js'
import type { Json } from './json-schema.js'

/** The component that all errors have the shape of. */
export const errorSchema: Json = {
  type: 'object',
  description: 'An error.',
  required: ['name', 'message', 'code', 'className'],
  properties: {
    name: { type: 'string', description: 'The class of the error.', examples: ['BadRequest'] },
    message: { type: 'string', description: 'What is wrong, for people.' },
    code: { type: 'integer', description: 'The status of the answer.', minimum: 400, maximum: 599 },
    className: { type: 'string', description: 'The class in kebab-case.', examples: ['bad-request'] },
    data: { description: 'What the error tells besides.' },
    errors: { description: 'What is wrong in detail, by field for example.' }
  }
}

/** The name and the text of the response for a status: `NotFound`. */
export function errorOf(status: string): { name: string; description: string } {
  const Class = byCode.get(Number(status))
  return Class === undefined
    ? { name: 'AnyError', description: 'Any other error.' }
    : { name: new Class().name, description: `${STATUS_CODES[status]}.` }
}
