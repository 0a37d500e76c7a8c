/** The types of inputs for moments, by format. */
export const momentInputs: ReadonlyMap<string | undefined, string> = new Map([
  ['date-time', 'datetime-local'],
  ['date', 'date'],
  ['time', 'time']
])

const two = (number: number) => String(number).padStart(2, '0')

/**
 * A moment as its input has it, in the time zone of this computer; `undefined` where the input
 * could not show it.
 */
export function toInputMoment(text: string, format: string | undefined): string | undefined {
  if (text === '') return ''
  if (format === 'date') return /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined
  if (format === 'time') return /^\d\d:\d\d:\d\d(?=(\.\d+)?Z$)/i.exec(text)?.[0]
  const moment = new Date(text)
  const year = moment.getFullYear()
  if (!(year > 0 && year < 10_000) || !/^\d{4}-\d\d-\d\d[t ]/i.test(text)) return undefined
  const date = [String(year).padStart(4, '0'), two(moment.getMonth() + 1), two(moment.getDate())].join('-')
  return `${date}T${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')}`
}

/** Converts the value of a date or time input to the text to send, with its time zone. */
export function fromInputMoment(text: string, format: string | undefined): string {
  if (text === '' || format === 'date') return text
  if (format === 'time') return `${text.length === 5 ? `${text}:00` : text}Z`
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString()
}

/** Returns the hint next to a date or time input. */
export const momentHint = (format: string | undefined, zone: string): string =>
  format === 'date-time' ? `a date with a time, here ${zone}` : format === 'time' ? 'a time, in UTC' : 'a date'

const styles = {
  'date-time': { dateStyle: 'medium', timeStyle: 'short' },
  date: { dateStyle: 'medium', timeZone: 'UTC' }
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** A moment as people write it; `undefined` where it is none. */
export function toReadableMoment(
  value: unknown,
  format: string | undefined,
  locale?: string,
  timeZone?: string
): string | undefined {
  if ((format !== 'date-time' && format !== 'date') || typeof value !== 'string') return undefined
  const moment = new Date(value)
  if (Number.isNaN(moment.getTime()) || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined
  return new Intl.DateTimeFormat(locale, { ...(timeZone && { timeZone }), ...styles[format] }).format(moment)
}
