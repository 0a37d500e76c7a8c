/** A part of a text of JSON, with what it is. */
interface JSONToken {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark' | 'space' | 'wrong'
  readonly text: string
}

const parts =
  /(?<space>[ \t\r\n]+)|(?<text>"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-]))|(?<word>(?:true|false|null)(?!\w))|(?<mark>[{}[\]:,])|(?<wrong>"[^\n]*|[^ \t\r\n{}[\]:,"]+)/gu

/** The parts of a text, which together are the text. What is no part of JSON is `wrong`. */
export function tokensOf(text: string): JSONToken[] {
  let next: JSONToken | undefined
  const backwards = [...text.matchAll(parts)].toReversed().map(({ groups, 0: part }): JSONToken => {
    const [kind] = Object.entries(groups as Record<string, string | undefined>).find(
      ([, group]) => group !== undefined
    ) as [JSONToken['kind'], string]
    const token: JSONToken = { kind: kind === 'text' && next?.text === ':' ? 'key' : kind, text: part }
    if (kind !== 'space') next = token
    return token
  })
  return backwards.reverse()
}

/** Where a text stops being JSON, and why. */
interface JSONFault {
  readonly line: number
  readonly column: number
  readonly message: string
}

// The tokens that may come next, with their names in messages.
const nextParts = {
  value: 'a value',
  item: 'a value or ]',
  key: 'a name in double quotes',
  member: 'a name in double quotes or }',
  colon: 'a colon',
  more: 'a comma or the closing bracket',
  end: 'nothing more'
}
type Expectation = keyof typeof nextParts

/** The first place of a text that is no JSON, if there is one. */
export function faultIn(text: string): JSONFault | undefined {
  const open: string[] = []
  let expected: Expectation = 'value'
  let offset = 0
  for (const token of tokensOf(text)) {
    if (token.kind !== 'space') {
      const next: Expectation | undefined = step(token, expected, open)
      if (next === undefined)
        return faultAt(text, offset, `expected ${nextParts[expected]}, not ${cutShort(token.text)}`)
      expected = next
    }
    offset += token.text.length
  }
  if (expected === 'end') return undefined
  return faultAt(text, offset, `expected ${nextParts[expected]}, but the text ends`)
}

const cutShort = (text: string) => (text.length > 20 ? `${text.slice(0, 20)}…` : text)

/** Returns what may follow a token, `undefined` if the token is not allowed here. */
function step({ kind, text }: JSONToken, expected: Expectation, open: string[]): Expectation | undefined {
  const afterValue = () => (open.length === 0 ? 'end' : 'more')
  const closes = (text === '}' && open.at(-1) === '{') || (text === ']' && open.at(-1) === '[')
  if (closes && ['item', 'member', 'more'].includes(expected)) {
    open.pop()
    return afterValue()
  }
  if (expected === 'key' || expected === 'member') return kind === 'key' || kind === 'text' ? 'colon' : undefined
  if (expected === 'colon') return text === ':' ? 'value' : undefined
  if (expected === 'more') return text === ',' ? (open.at(-1) === '{' ? 'key' : 'value') : undefined
  if (expected === 'end') return undefined
  if (text === '{' || text === '[') {
    open.push(text)
    return text === '{' ? 'member' : 'item'
  }
  return kind === 'mark' || kind === 'wrong' ? undefined : afterValue()
}

function faultAt(text: string, offset: number, message: string): JSONFault {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) as string).length + 1, message }
}

/** Lines of a text, of which some can be folded with those that are within. */
export interface Fold {
  readonly line: string
  readonly inside: readonly Fold[]
}

/** The lines of a text by their indents: those that are further in belong to the line before. */
export function foldsOf(text: string): Fold[] {
  const root: Fold & { inside: Fold[] } = { line: '', inside: [] }
  const path: { indent: number; inside: Fold[] }[] = [{ indent: -1, inside: root.inside }]
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length
    while ((path.at(-1) as { indent: number }).indent >= indent) path.pop()
    const fold = { line, inside: [] }
    path.at(-1)?.inside.push(fold)
    path.push({ indent, inside: fold.inside })
  }
  return root.inside
}
