import type accepts = require('accepts')
import type ajv = require('ajv')
import type qs = require('qs')

type BuildValidator = (shared: object, options: object) => (route: { readonly schema: object }) => unknown

/**
 * Packages that are loaded when they are first needed: an import of all of them at the start would
 * cost as much as that of Fastify. The module is CommonJS, because bundlers follow its `require`,
 * and put the packages into a server that is one file. They leave that of `createRequire` as it is.
 */
const packages = {
  accepts: () => require('accepts') as typeof accepts,
  ajv: () => require('ajv') as typeof ajv,
  addFormats: () => (require('ajv-formats') as { readonly default: (ajv: ajv.Ajv) => void }).default,
  /** Creates what Fastify compiles validators with. */
  fastifyCompiler: () => (require('@fastify/ajv-compiler') as () => BuildValidator)(),
  qs: () => require('qs') as typeof qs
}

export = packages
