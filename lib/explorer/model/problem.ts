import { asList, entriesOf, propertyOf, textOf } from './json.js'

/** An issue of one field. */
export interface Detail {
  /** Where it is in a form: its path, without the number of a record. */
  readonly place: string
  /** The whole path, as in `address.city`. */
  readonly path: string
  readonly message: string
}

/** An error as people want to read it. */
export interface Problem {
  /** `404 NotFound`; `undefined` for what never reached a server. */
  readonly title: string
  readonly message: string
  readonly details: readonly Detail[]
  /** A suggestion for the user. */
  readonly advice: string | undefined
  /** Whether a login may help. */
  readonly isLogin: boolean
  /** Whether the same request may go well later. */
  readonly isPassing: boolean
}

const advices: Readonly<Record<number, string>> = {
  400: 'Correct what is named here, and send it again.',
  401: 'Log in, or log in again: the token may have expired.',
  403: 'The user of this login may not do this.',
  404: 'It may have been removed meanwhile, or the id is another one.',
  405: 'The server offers no such method here.',
  409: 'Something else has this value already: change it, and send it again.',
  413: 'The server takes less: send a smaller one.',
  415: 'The server takes another content type.',
  422: 'Correct what is named here, and send it again.',
  429: 'These are too many requests: wait a little.',
  501: 'The server has no such method.'
}

/** @param base the address of the server */
export function toProblem(error: unknown, base: string): Problem {
  const code = Number(propertyOf(error, 'code'))
  const { name, message, cause } = Object(error) as Partial<Error>
  const text = textOf(message) || 'Something went wrong'
  // The client says so where there was no answer: a server that answers 503 gives no cause.
  if (code === 503 && cause !== undefined)
    return {
      title: 'No answer',
      message: `${base} could not be reached.`,
      details: [],
      advice: 'Is the server running, and may this page ask it? The console of the browser says more.',
      isLogin: false,
      isPassing: true
    }
  if (name === 'AbortError')
    return {
      title: 'Cancelled',
      message: 'The request was cancelled. The server may carry it out all the same.',
      details: [],
      advice: undefined,
      isLogin: false,
      isPassing: true
    }
  const details = detailsOf(Object(error).errors)
  const seconds = Number(propertyOf(Object(error).data, 'retryAfter'))
  const wait = seconds > 0 ? `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.` : undefined
  const server = code >= 500 ? 'This is a fault of the server: its log says more.' : undefined
  return {
    title: Number.isInteger(code) ? `${code} ${textOf(name) ?? ''}`.trim() : 'Not sent',
    message: text,
    details,
    advice: wait ?? advices[code] ?? server,
    isLogin: code === 401,
    isPassing: code === 429 || (code >= 500 && code !== 501)
  }
}

/** The details of an error: a list, as validators give it, or texts by field. */
function detailsOf(errors: unknown): Detail[] {
  if (!Array.isArray(errors))
    return entriesOf(errors).map(([path, message]) => toDetail([path], asList(message)[0] ?? message))
  return errors.map((detail) => {
    const params = propertyOf(detail, 'params')
    const last = propertyOf(params, 'missingProperty') ?? propertyOf(params, 'additionalProperty')
    const place = propertyOf(detail, 'instancePath') ?? propertyOf(detail, 'path')
    const path = Array.isArray(place)
      ? place.map((part) => propertyOf(part, 'key') ?? part)
      : segmentsOfPointer(String(place ?? ''))
    return toDetail(last === undefined ? path : [...path, last], propertyOf(detail, 'message'))
  })
}

const segmentsOfPointer = (pointer: string) =>
  pointer
    .split('/')
    .filter(Boolean)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

function toDetail(path: readonly unknown[], message: unknown): Detail {
  // The first one of a list is the number of a record.
  const names = path.map(String)
  const place = (/^\d+$/.test(names[0] ?? '') ? names.slice(1) : names).join('.')
  return { place, path: names.join('.'), message: textOf(message) ?? 'is not right' }
}
