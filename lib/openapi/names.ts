import { isPlaceholder, segmentsOf } from './paths.js'

/** The names of a service in a document: those of its records, one and many. */
export interface ServiceNames {
  /** `Post`, as components and operation ids are named. */
  readonly one: string
  /** `Posts` */
  readonly many: string
  /** `blog post`, as texts have it. */
  readonly text: { readonly one: string; readonly many: string }
}

const irregular: Readonly<Record<string, string>> = {
  people: 'person',
  children: 'child',
  men: 'man',
  women: 'woman',
  movies: 'movie',
  cookies: 'cookie',
  news: 'news',
  series: 'series',
  species: 'species'
}

/** `countries` → `country`. A word that is no plural stays. */
export function toSingular(word: string): string {
  const lower = word.toLowerCase()
  if (Object.hasOwn(irregular, lower)) return irregular[lower] as string
  if (/[^aeiou]ies$/i.test(word)) return `${word.slice(0, -3)}y`
  if (/(ss|sh|ch|x|zz|[bnprt]us)es$/i.test(word)) return word.slice(0, -2)
  if (/(ss|us|is)$/i.test(word)) return word
  return word.replace(/s$/i, '')
}

/** `blog-posts`, `blogPosts` → `['blog', 'posts']` */
export const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase())

export const toPascal = (words: readonly string[]) =>
  words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')

/**
 * Names services by the last words of their paths. Where two would have the same names, further words of their paths come first:
 * `v1/posts` and `v2/posts` are `V1Posts` and `V2Posts`.
 */
export function nameServices(paths: readonly string[]): Map<string, ServiceNames> {
  const depths = new Map(paths.map((path) => [path, 1]))
  const wordsAt = (path: string, depth: number) => {
    const fixed = segmentsOf(path).filter((segment) => !isPlaceholder(segment))
    const words = fixed.slice(-depth).flatMap(wordsOf)
    return words.length === 0 ? ['records'] : words
  }
  const named = (path: string) => namesOf(wordsAt(path, depths.get(path) as number))
  const longest = Math.max(0, ...paths.map((path) => segmentsOf(path).length))
  for (let depth = 1; depth < longest; depth++) {
    const names = paths.map((path) => named(path).one)
    for (const [index, path] of paths.entries())
      if (names.filter((name) => name === names[index]).length > 1) depths.set(path, depth + 1)
  }
  const taken = new Map<string, number>()
  return new Map(
    paths.map((path) => {
      const { one, many, text } = named(path)
      const count = (taken.get(one) ?? 0) + 1
      taken.set(one, count)
      const suffix = count === 1 ? '' : String(count)
      return [path, { one: one + suffix, many: many + suffix, text }]
    })
  )
}

function namesOf(words: readonly string[]): ServiceNames {
  const singular = [...words.slice(0, -1), toSingular(words.at(-1) as string)]
  const [one, many] = [toPascal(singular), toPascal(words)]
  // A component and an operation may have no name that begins with a digit in many languages.
  const safe = (name: string) => (/^\d/.test(name) ? `The${name}` : name)
  return { one: safe(one), many: safe(many), text: { one: singular.join(' '), many: words.join(' ') } }
}
