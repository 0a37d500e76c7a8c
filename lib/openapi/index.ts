export { type DocumentOptions, openapi, type SwaggerOptions } from './options.js'
