/**
 * Limits and habits of the query parser. They are those of `qs`; `plainObjects` and `allowPrototypes` are not among them, since
 * they open the operators of database adapters.
 */
export interface QueryOptions {
  /** A list with more items than this becomes an object with index keys. Default 20. */
  arrayLimit?: number
  /** Deeper nesting than this is refused (400). Default 5. */
  depth?: number
  /** More parameters than this are refused (400). Default 1000. */
  parameterLimit?: number
  /** Whether `a.b=1` nests as `a[b]=1` does. Default `false`. */
  allowDots?: boolean
  /** Whether `a=1,2` is a list. Default `false`. */
  comma?: boolean
  /** Whether `a[]` may stand for an empty list. Default `false`. */
  allowEmptyArrays?: boolean
  /** Whether a name without `=` is `null` instead of `''`. Default `false`. */
  strictNullHandling?: boolean
}

/** Options for the query parser, or a parser of one's own: the query string without `?` → the query. */
export type QueryParser = QueryOptions | ((query: string) => Record<string, unknown>)
