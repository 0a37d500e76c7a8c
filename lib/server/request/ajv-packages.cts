import type ajv = require('ajv')

type AjvModule = { readonly default: typeof ajv.Ajv }
type BuildValidator = (shared: object, options: object) => (route: { readonly schema: object }) => unknown

/**
 * Loads Ajv and what belongs to it when the first schema needs it, as Fastify does. The module is CommonJS: bundlers follow its `require`, and put the packages into a server that is one file. They
 * leave that of `createRequire` as it is.
 */
const packages = {
  ajv: () => require('ajv') as typeof ajv,
  /** The class that knows the keywords of draft 7, or those of 2019-09 too. */
  classOf: (isNewer: boolean) =>
    (isNewer ? (require('ajv/dist/2019') as AjvModule) : (require('ajv') as AjvModule)).default,
  addFormats: () => (require('ajv-formats') as { readonly default: (ajv: ajv.Ajv) => void }).default,
  utilities: () => require('ajv/dist/compile/util') as typeof import('ajv/dist/compile/util.js'),
  /** Makes what Fastify compiles validators with. */
  fastifyCompiler: () => (require('@fastify/ajv-compiler') as () => BuildValidator)()
}

export = packages
