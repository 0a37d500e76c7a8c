import type { ErrorHandlerOptions, NotFoundOptions } from '../../../types/fastify.js'
import { kinds, type OptionTable } from '../../core/options.js'

const { free } = kinds

/** The options of the error handler. */
export const ofErrorHandler: OptionTable<ErrorHandlerOptions> = {
  html: free,
  logger: free,
  expose: free,
  requestId: free
}
export const ofNotFound: OptionTable<NotFoundOptions> = { ...ofErrorHandler, verbose: free }
