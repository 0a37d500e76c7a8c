import { type LoginHost, send } from './login-host.js'
import { outcomeOf } from './outcomes.js'

/** Answers by the name of the row. */
export function createRows(host: LoginHost) {
  const kept: Record<string, unknown> = {}
  const ask = async (name: string, request: Parameters<typeof send>[1]) => {
    const { row, body } = await send(host, request)
    kept[name] = row
    return body
  }
  const call = async (name: string, run: () => unknown) => {
    kept[name] = [await outcomeOf(run), ...(host.flush() as unknown[])]
  }
  return { kept, ask, call }
}
