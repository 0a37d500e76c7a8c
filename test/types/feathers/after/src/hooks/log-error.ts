// For more information about this file see https://dove.feathersjs.com/guides/cli/log-error.html
import type { HookContext, NextFunction } from '../declarations'

export const logError = async (context: HookContext, next: NextFunction) => {
  try {
    await next()
  } catch (error: any) {
    context.app.log.error(error.stack)

    // Log validation errors
    if (error.data) {
      context.app.log.error('Data: %O', error.data)
    }

    throw error
  }
}
