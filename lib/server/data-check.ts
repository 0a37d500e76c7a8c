import type { preValidationHookHandler } from 'fastify'
import { ServiceError } from '../core/errors.js'
import { checkData } from '../core/methods.js'
import { placeholdersIn } from '../core/path.js'
import type { ServiceMethod } from '../core/service.js'
import { valuesFromData } from './custom-method.js'
import type { ExposedService } from './exposed.js'

/** The hooks that check the data of a request, and read from it what the header leaves out of the URL. */
export function bodyHooks(
  method: ServiceMethod,
  byHeader: boolean,
  { path }: ExposedService,
  hasSchema: boolean
): preValidationHookHandler[] {
  const { name, definition } = method
  const names = placeholdersIn(definition.path)
  return [
    ...(byHeader || definition.arguments.includes('data') ? [dataCheck(name, hasSchema)] : []),
    ...(byHeader && names.length > 0 ? [valuesFromData(names, method, path)] : [])
  ]
}

// Without a schema the data is checked when the service is called: middleware before it may supply the body.
function dataCheck(name: string, hasSchema: boolean): preValidationHookHandler {
  return (request, _reply, done) => {
    // The form parser returns its error: throwing it there ends the process on some versions of Fastify.
    if (request.body instanceof ServiceError) throw request.body
    if (hasSchema) checkData(name, request.body)
    done()
  }
}
