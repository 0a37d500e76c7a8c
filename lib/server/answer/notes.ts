import type { HookContext, Http } from '../../../types/hooks.js'
import type { Caller } from '../../core/http-call.js'
import type { Stream } from './stream.js'

const notes = Symbol('notes')

/** What is noted of a call, on its context. */
export class Notes {
  /** Who has made the call over HTTP, also after a hook has replaced its params. */
  caller: Caller | undefined = undefined
  /** `context.http` as it was before the method ran: what hooks add later is about the result. */
  http: Http | undefined = undefined
  /** The result and `dispatch` that were seen last. */
  result: unknown = undefined
  dispatch: unknown = undefined
  /** The result that has failed, until a hook takes the error back. */
  failed: Pick<HookContext, 'result' | 'dispatch'> | undefined = undefined
  /** The streams that were results, in order, each with the function that removes our listeners from it. Few calls have streams. */
  streams: Map<Stream, () => void> | undefined = undefined
}

interface Noted extends HookContext {
  [notes]?: Notes
}

export function notesOf(context: Noted): Notes {
  context[notes] ??= new Notes()
  return context[notes]
}
