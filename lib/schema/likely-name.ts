/**
 * Returns the name that was meant by a misspelt one, if there is one like it.
 * @param farthest how many letters may differ
 */
export function likelyName(name: string, names: readonly string[], farthest = 2): string | undefined {
  const [likely] = names
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    // Half of a short name would fit any other.
    .filter(
      ({ candidate, distance }) => distance <= farthest && distance * 2 <= Math.max(name.length, candidate.length)
    )
    .sort((a, b) => a.distance - b.distance)
  return likely?.candidate
}

/**
 * Returns the end of an error for a misspelt name: `. Did you mean 'find'?`, or nothing.
 * @param place a prefix of the name: `'jwt.'`
 */
export function hintFor(name: string, names: readonly string[], place = ''): string {
  const likely = likelyName(name, names)
  return likely === undefined ? '' : `. Did you mean '${place}${likely}'?`
}

/**
 * The edit distance: how many letters must be changed, added or removed to turn one word into the
 * other.
 */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries())
      next.push(
        Math.min((row[j] as number) + Number(letter !== other), (row[j + 1] as number) + 1, (next[j] as number) + 1)
      )
    row = next
  }
  return row[to.length] as number
}
