import type { Socket } from 'node:net'
import createKnex, { type Knex } from 'knex'

/**
 * The connections to a PostgreSQL server. None of them waits for ever: the server ends what takes longer than `timeout` milliseconds,
 * a lock that another one has for example, and a server that does not do so is given up a little later.
 */
export function connect(url: string, timeout: number, config: Knex.Config): Knex {
  const silence = timeout + 2000
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: timeout,
    statement_timeout: timeout,
    idle_in_transaction_session_timeout: silence
  }
  const afterCreate = ({ connection }: { connection: { stream: Socket } }, done: () => void) => {
    const { stream } = connection
    // Also one that is idle: it is made anew when it is needed.
    stream.setTimeout(silence, () => stream.destroy())
    done()
  }
  const pool = { min: 0, max: 10, createTimeoutMillis: 2 * timeout, afterCreate }
  return createKnex({ ...config, client: 'pg', connection, acquireConnectionTimeout: timeout, pool })
}
