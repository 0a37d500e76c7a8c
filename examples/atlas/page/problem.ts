import { ServiceError } from 'fastify-services/client'
import { button, element } from './element.js'

/** Says what went wrong, and what to do, in the words of those who use the page. */
export function textOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return `This is a fault of the page: ${String(error)}`
  const { code, message, data, errors, cause } = error
  // The client says so: a server that answers 503 gives no cause.
  if (code === 503 && cause !== undefined) return 'The atlas does not answer. Is it still running, and are you online?'
  if (code === 503)
    return 'The atlas is busy, or can’t reach its database. It tries again with each request: wait a moment.'
  if (code === 401) return 'You are logged out: the login has ended. Log in again.'
  if (code === 404) return 'It is not there any more, or it is not yours. Are you logged in as somebody else meanwhile?'
  const seconds = Number(Object(data).retryAfter)
  if (code === 429 && seconds > 0)
    return `Too many tries. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`
  if (code >= 500) return 'The atlas made a mistake, and its log says more. Try again.'
  const all = Array.isArray(errors) ? errors.map(({ message }) => String(message)) : []
  const details = all.filter((text) => !message.includes(text))
  return `${[message, ...details].join(', ')}.`
}

/** An error on the page, with what may be done about it. */
export function problem(text: string, label?: string, act?: () => unknown): HTMLElement {
  return element(
    'div',
    { className: 'problem', role: 'alert' },
    element('p', {}, text),
    label !== undefined && act !== undefined && button(label, act)
  )
}
