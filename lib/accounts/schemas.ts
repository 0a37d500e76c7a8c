import { resource } from '../core/resource/resource.js'

/** Creates the schema of an object without further fields. Default: all fields are required. */
export const objectOf = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false
})

/** A method as OpenAPI documents show it. */
interface AccountMethod {
  readonly summary: string
  readonly description?: string
  /** The JSON schemas of the fields. */
  readonly body: Readonly<Record<string, object>>
  /** The only field of the result, which is `true`. */
  readonly result: string
}

/**
 * Creates the schemas of a service. They are those of a resource, which are validated alike
 * whatever validator the application has.
 */
export function accountSchemas(create: AccountMethod, confirm?: AccountMethod): object {
  const resultOf = ({ result }: AccountMethod) => objectOf({ [result]: { type: 'boolean' } })
  const textOf = ({ summary, description }: AccountMethod) => ({ summary, ...(description && { description }) })
  const methods = confirm && {
    confirm: { route: 'POST /confirm', body: objectOf(confirm.body), response: resultOf(confirm) } as const
  }
  const schemas = resource<unknown>(resultOf(create), { create: objectOf(create.body), ...(methods && { methods }) })
  return {
    ...schemas,
    create: { ...schemas.create, ...textOf(create) },
    ...(confirm && { confirm: { ...Object(schemas).confirm, ...textOf(confirm) } })
  }
}

export const newPassword = { type: 'string', minLength: 8, maxLength: 1024 }
export const currentPassword = { type: 'string', format: 'password', maxLength: 1024 }
export const userName = { type: 'string', minLength: 1, maxLength: 1024 }
export const linkToken = { type: 'string', maxLength: 8192, description: 'The token of the link in the mail.' }
