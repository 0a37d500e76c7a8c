/**
 * Returns the source text of a function, by which two middlewares of one factory are the same.
 *
 * `errorHandler()`, `cors()`, `json()` and the like return a new and often unnamed function at each
 * call, and no public member says which factory made it. Mounting a Feathers application has to
 * tell them from middleware of the application, which may be a guard. Seen in `@feathersjs/koa` and
 * `@feathersjs/express` 5.0.50; `test/compat/source-text.test.ts` fails if they change.
 */
export const sourceText = (middleware: unknown): string => String(middleware)
