import { createHash } from 'node:crypto'
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

/** What a user has been asked, signed by the server. */
export interface Question {
  /** A digest of the tool, its arguments, the caller and the record. */
  readonly asked: string
}

export type QuestionCodec = RequestStateCodec<Question>

/** In seconds. */
const timeToAnswer = 300

/** Creates what signs questions. Clients send them back with the answer. */
export const createQuestionCodec = (key: string | Uint8Array): QuestionCodec =>
  createRequestStateCodec<Question>({ key, ttlSeconds: timeToAnswer })

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
  const text = toStableJSON([tool.listed.name, call, identity ?? null, record?.text ?? null])
  return createHash('sha256').update(text).digest('base64url')
}

/** Whether a client can show a form to its user. */
export function canAsk({ mcpReq }: ServerContext): boolean {
  const { elicitation } = Object(Object(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY])
  // An empty object stands for forms.
  return isObject(elicitation) && (elicitation.form !== undefined || Object.keys(elicitation).length === 0)
}

/** The answer of a user about this very call. `undefined` if they were not asked, or about another one. */
export function userAnswer(call: AskedCall, { mcpReq }: ServerContext): 'yes' | 'no' | undefined {
  const isAnswered = mcpReq.inputResponses?.confirm !== undefined
  if (!isAnswered || mcpReq.requestState<Question>()?.asked !== digestOfCall(call)) return undefined
  return acceptedContent(mcpReq.inputResponses, 'confirm')?.confirm === true ? 'yes' : 'no'
}

/** Asks the user of a client whether the call may be made. */
export async function askUser(call: AskedCall, codec: QuestionCodec): Promise<InputRequiredResult> {
  const confirm = { type: 'boolean' as const, title: 'Yes', description: 'Whether the call may be made.' }
  return inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({
        message: questionAbout(call),
        requestedSchema: { type: 'object', properties: { confirm }, required: ['confirm'] }
      })
    },
    requestState: await codec.mint({ asked: digestOfCall(call) })
  })
}

const maxText = 200

/** `Call remove of books {"id":7} ("Emma")?` */
function questionAbout({ tool, given, record }: AskedCall): string {
  const { idempotencyKey: _, ...call } = given
  const { title, name = title } = Object(attempt(() => JSON.parse(String(record?.text))))
  const label = typeof name === 'string' ? ` (${JSON.stringify(name.slice(0, maxText))})` : ''
  return `May '${tool.name}' be called with ${JSON.stringify(call).slice(0, maxText)}${label}?`
}
