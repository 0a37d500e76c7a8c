import type ajv = require('ajv')

type BuildValidator = (shared: object, options: object) => (route: { readonly schema: object }) => unknown

/**
 * Loads Ajv and what belongs to it when the first schema needs it, as Fastify does. The module is CommonJS: bundlers follow its `require`, and put the packages into a server that is one file. They
 * leave that of `createRequire` as it is.
 */
const packages = {
  ajv: () => require('ajv') as typeof ajv,
  addFormats: () => (require('ajv-formats') as { readonly default: (ajv: ajv.Ajv) => void }).default,
  /** Makes what Fastify compiles validators with. */
  fastifyCompiler: () => (require('@fastify/ajv-compiler') as () => BuildValidator)()
}

export = packages
