import { pick } from './pick.js'

/**
 * What an error carries besides its message. `errors`, with one entry for each field for example, is sent under a name
 * of its own.
 */
export type ErrorData = Record<string, unknown> | readonly unknown[]

/** The JSON form of an error, as it goes over the wire (docs/errors.md#the-body). */
export interface ErrorJSON {
  name: string
  message: string
  code: number
  className: string
  data?: unknown
  errors?: unknown
}

/**
 * The error of a service call: every error that leaves a service over HTTP has this shape. Throw one of its classes
 * (`NotFound`, `BadRequest`, …), or derive one of your own with a status of 400 to 599 in `code`.
 *
 * @example
 * throw new NotFound('No such message', { id })
 * throw new BadRequest('Invalid message', { errors: { text: 'is missing' } })
 */
export class ServiceError extends Error {
  /** The HTTP status. */
  declare readonly code: number
  /** The name in kebab-case. */
  declare readonly className: string
  declare readonly data?: unknown
  declare readonly errors?: unknown

  constructor(
    message: string | Error | undefined,
    name: string,
    code: number,
    data?: ErrorData,
    options?: ErrorOptions
  ) {
    super(
      message instanceof Error ? message.message : (message ?? name),
      message instanceof Error ? { cause: message } : options
    )
    this.name = name
    this.code = code
    this.className = name.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase()
    if (Array.isArray(data)) this.data = data
    else {
      const { errors, ...rest } = { ...data } as Record<string, unknown>
      if (errors !== undefined) this.errors = errors
      if (Object.keys(rest).length > 0) this.data = rest
    }
  }

  /** The same as `code`, under the name by which Fastify's own error handler finds it. */
  get statusCode(): number {
    return this.code
  }

  toJSON(): ErrorJSON {
    return pick(fields, (name) => this[name as keyof this]) as unknown as ErrorJSON
  }
}

const fields = ['name', 'message', 'code', 'className', 'data', 'errors']
