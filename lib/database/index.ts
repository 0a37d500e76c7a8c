export { type DatabaseErrorsOptions, databaseErrors } from './database-errors.js'
