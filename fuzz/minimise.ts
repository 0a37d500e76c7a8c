import type { Case } from './mutations.js'

const most = 80
// Whole requests first, then lines of them, then parts of lines.
const separators = [/(?=\b[A-Z]{3,8} [^ ]+ HTTP\/)/, /(?<=\n)/, /(?=[&,?])/]

/** As little of a case as is still bad. */
export async function minimise(failing: Case, isBad: (less: Case) => Promise<boolean>): Promise<Case> {
  let best = failing
  let tries = 0
  for (const separator of separators) {
    for (let index = best.text.split(separator).length - 1; index >= 0; index--) {
      const text = best.text.split(separator).toSpliced(index, 1).join('')
      if (text === '' || tries++ >= most) continue
      const less = { ...best, text }
      if (await isBad(less)) best = less
    }
  }
  return best
}
