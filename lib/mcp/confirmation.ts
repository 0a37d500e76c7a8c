import { createHash, randomUUID } from 'node:crypto'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext
} from '@modelcontextprotocol/server'
import { attempt } from '../core/errors.js'
import { isObject } from '../core/objects.js'
import { toStableJSON } from '../core/stable-json.js'
import type { Answer, ToolArguments } from './call.js'
import type { Tool } from './tool.js'

/** The question to a user, signed by the server. */
interface Question {
  readonly id: string
  /** A digest of the tool, its arguments, the caller and the record. */
  readonly asked: string
}

/** In seconds. */
const timeToAnswer = 300

/** The call that a user is asked about. */
export interface AskedCall {
  readonly tool: Tool
  readonly given: ToolArguments
  /** The key of the caller. */
  readonly identity: string | undefined
  /** The record as the caller sees it now. `undefined` if the service has no method `get`. */
  readonly record: Answer | undefined
}

/** A digest that is equal for the same call of the same caller, while the record is the same. */
function digestOfCall({ tool, given, identity, record }: AskedCall): string {
  const { idempotencyKey: _, ...call } = given
  const text = toStableJSON([tool.name, call, identity ?? null, record?.text ?? null])
  return createHash('sha256').update(text).digest('base64url')
}

/** Whether a client can show a form to its user. */
export function canAsk({ mcpReq }: ServerContext): boolean {
  const { elicitation } = Object(Object(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY])
  // An empty object stands for forms.
  return isObject(elicitation) && (elicitation.form !== undefined || Object.keys(elicitation).length === 0)
}

/** Asks users whether calls may be made. Clients send a signed question back with the answer. */
export class Questions {
  readonly #codec: RequestStateCodec<Question>
  /** The questions that had an answer. Their answers must not be sent again for a second call. */
  readonly #answered = new Set<string>()

  /** @param key signs the questions */
  constructor(key: string | Uint8Array) {
    this.#codec = createRequestStateCodec<Question>({ key, ttlSeconds: timeToAnswer })
  }

  /** Verifies a question that a client has sent back. */
  get verify(): RequestStateCodec<Question>['verify'] {
    return this.#codec.verify
  }

  async ask(call: AskedCall): Promise<InputRequiredResult> {
    const confirm = { type: 'boolean' as const, title: 'Yes', description: 'Whether the call may be made.' }
    return inputRequired({
      inputRequests: {
        confirm: inputRequired.elicit({
          message: questionAbout(call),
          requestedSchema: { type: 'object', properties: { confirm }, required: ['confirm'] }
        })
      },
      requestState: await this.#codec.mint({ id: randomUUID(), asked: digestOfCall(call) })
    })
  }

  /**
   * Returns the answer of a user about this very call. `undefined` if they were not asked, or about
   * another call, or if the answer was taken before.
   */
  takeAnswer(call: AskedCall, { mcpReq }: ServerContext): 'yes' | 'no' | undefined {
    const question = mcpReq.requestState<Question>()
    if (mcpReq.inputResponses?.confirm === undefined || question?.asked !== digestOfCall(call)) return undefined
    const { id } = question
    if (this.#answered.has(id)) return undefined
    this.#answered.add(id)
    setTimeout(() => this.#answered.delete(id), timeToAnswer * 1000).unref()
    return acceptedContent(mcpReq.inputResponses, 'confirm')?.confirm === true ? 'yes' : 'no'
  }
}

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text)

/** `May 'books.remove' be called with {"id":7} ("Emma")?` */
function questionAbout({ tool, given, record }: AskedCall): string {
  const { idempotencyKey: _, query, data, ...inPath } = given
  // The record comes first, so that a long query can't hide it.
  const call = { ...inPath, query, data }
  const { title, name = title } = Object(attempt(() => JSON.parse(String(record?.text))))
  const label = typeof name === 'string' ? ` (${JSON.stringify(cut(name, 200))})` : ''
  return `May '${tool.name}' be called with ${cut(JSON.stringify(call), 1000)}${label}?`
}
