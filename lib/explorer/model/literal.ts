// Characters that are invisible, or change the reading direction.
const hiddenText = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** JSON without characters that can't be seen. */
export const toJSON = (value: unknown): string => String(JSON.stringify(value)).replace(hiddenText, escaped)

/** A text as a literal of JavaScript. */
export const quote = (text: string): string =>
  `'${toJSON(text)
    .slice(1, -1)
    .replace(/\\(.)|'/g, (sequence, after) => (after === '"' ? '"' : sequence === "'" ? "\\'" : sequence))}'`

const width = 72

interface Style {
  readonly text: (text: string) => string
  readonly key: (key: string) => string
}

/** A key of a literal. One with `__proto__: …` would have another prototype. */
export const toKey = (key: string): string =>
  key === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key)

const javascript: Style = { text: quote, key: toKey }
const jsonStyle: Style = { text: toJSON, key: toJSON }

/** Data as an expression of JavaScript, over several lines where it is long. */
export const toLiteral = (value: unknown, indent = ''): string => layout(value, indent, javascript)

/** Data as JSON to read. */
export const toReadableJSON = (value: unknown): string => layout(value, '', jsonStyle)

function layout(value: unknown, indent: string, style: Style): string {
  if (typeof value === 'string') return style.text(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((item) => layout(item, deeper, style))
    : Object.entries(value)
        .filter(([, property]) => property !== undefined)
        .map(([key, property]) => `${style.key(key)}: ${layout(property, deeper, style)}`)
  return group(parts, indent, isList ? ['[', ']', ''] : ['{', '}', ' '])
}

/** Parts between brackets: on one line where they fit. */
export function group(
  parts: readonly string[],
  indent: string,
  [open, close, space]: readonly [string, string, string],
  before = 0
): string {
  if (parts.length === 0) return open + close
  const short = `${open}${space}${parts.join(', ')}${space}${close}`
  if (before + short.length + indent.length <= width && !short.includes('\n')) return short
  const deeper = `${indent}  `
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`
}
