export { type Batches, type BatchOptions, batch } from '../writes/batch.js'
export type { BatchCall, BatchResult } from '../writes/batched-call.js'
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
