export { type DatabaseErrorsOptions, databaseErrors } from './database-errors.js'
export {
  type CallTransactionOptions,
  inTransaction,
  type TransactionalDatabase,
  type TransactionOf,
  type TransactionOptions,
  type TransactionParams,
  transaction
} from './transaction.js'
