export { type DatabaseErrorsOptions, databaseErrors } from './database-errors.js'
export {
  inTransaction,
  type TransactionalDatabase,
  type TransactionOf,
  type TransactionOptions,
  type TransactionParams,
  transaction
} from './transaction.js'
