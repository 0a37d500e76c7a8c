import { type Case, describe } from './cases.js'
import { isObject } from './evaluation.js'
import type { Models } from './random-models.js'
import { createRandom } from './random-schemas.js'
import type { Node } from './references.js'
import { createCounts, type Problem, searchCases } from './search.js'

/** The smallest case that still has a problem of its kind: parts of its schema and its values are taken away, one at a time. */
export async function shrink(problem: Problem, most = 120): Promise<Problem> {
  let smallest = problem
  let tries = 0
  const counts = createCounts()
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const shown of smallerCases(smallest.shown)) {
      if (++tries > most) return smallest
      const problems = await searchCases([shown], counts).catch(() => [])
      const same = problems.find(({ kind }) => kind === problem.kind)
      if (same === undefined) continue
      smallest = same
      isSmaller = true
      break
    }
  }
  return smallest
}

function* smallerCases(shown: Case): Generator<Case> {
  const { described, bodies, stored } = shown
  const readOnly = described.readOnly ?? []
  const writeOnly = described.writeOnly ?? []
  if (readOnly.length > 0) yield { ...shown, described: { ...described, readOnly: readOnly.slice(1) } }
  if (writeOnly.length > 0) yield { ...shown, described: { ...described, writeOnly: writeOnly.slice(1) } }
  if (shown.models !== undefined) {
    for (const models of smaller(shown.models)) {
      try {
        yield { ...shown, ...describe(models as Models, createRandom(0), described) }
      } catch {
        // It is a schema no longer.
      }
    }
  }
  for (const document of shown.models === undefined ? smaller(described.document) : [])
    yield { ...shown, described: { ...described, document: document as Node } }
  for (const shared of smaller(described.shared))
    yield { ...shown, described: { ...described, shared: shared as Node[] } }
  const [body] = bodies
  if (body !== undefined) for (const data of smaller(body[1])) yield { ...shown, bodies: [[body[0], data]] }
  if (stored.length > 0) for (const record of smaller(stored[0])) yield { ...shown, stored: [record] }
}

/** A value with one part less, or with a smaller one; the largest parts first. */
function* smaller(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1)
    for (const [index, item] of value.entries()) for (const other of smaller(item)) yield value.with(index, other)
  } else if (isObject(value)) {
    for (const name of Object.keys(value))
      yield Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
    for (const [name, item] of Object.entries(value))
      for (const other of smaller(item)) yield { ...value, [name]: other }
  }
}
