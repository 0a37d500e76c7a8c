import type { ModelLogin } from './login-model.js'

/** What the application was asked to do, and what came of it. */
export interface Operation {
  readonly kind: 'login' | 'again' | 'logout' | 'call'
  readonly name: string
  /** Who logs in. */
  readonly user: string | undefined
  /** When it began: for a call, after its hooks. */
  begun: number
  /** Whose tokens were stored then, and which logins were under way. */
  stored: ModelLogin | undefined
  underWay: Operation[]
  /** The tokens that it was sent with, when, and whose were stored then. */
  readonly sent: { token: string | undefined; at: number; stored: ModelLogin | undefined }[]
  settled?: { at: number; error?: unknown; result?: Result }
}

export interface Result {
  accessToken?: string
  user?: string
}

/** Makes the record of a run. */
export function createRecord() {
  return {
    operations: [] as Operation[],
    events: [] as { event: string; result: Result | null; at: number }[],
    /** The logouts that have resolved. */
    logouts: [] as { name: string; begun: number; at: number }[],
    /** What other tabs have stored. */
    tabs: [] as { user: string | undefined; at: number }[],
    /** The tokens that the application has removed: whose they were, and whether the server still took them. */
    removed: [] as { login: ModelLogin | undefined; isGood: boolean; at: number }[],
    /** When the storage has failed. */
    faults: [] as number[],
    /** The refresh tokens that were sent. */
    refreshed: [] as string[],
    /** The login that was there before. */
    page: undefined as ModelLogin | undefined,
    violations: [] as string[]
  }
}
