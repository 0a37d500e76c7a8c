export { type DocumentOptions, openapi, type SwaggerOptions } from './openapi.js'
