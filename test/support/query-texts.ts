import { createGenerator } from './random.js'

const plain = {
  names: ['a', 'b', 'c', 'd', 'e', 'f', '$or', '%24in'],
  segments: ['a', 'b', '$gt', '%24lt', '0', '1', ''],
  brackets: ['[]', '%5B%5D'],
  values: ['1', 'x y', 'a+b', '%20', '%5Bx%5D', '%C3%A9', '']
}
const words = (text: string) => text.split(' ')
const odd: typeof plain = {
  names: [...plain.names, '', ...words('0 1 a.b é __proto__ constructor length + % %zz %61 -1 a%3Db %255B')],
  segments: [...plain.segments, ' 1', ...words('2 3 19 20 01 __proto__ toString length -1 1e3 +1 %5B %26 [ a]')],
  brackets: [...plain.brackets, '%5b%5d', '[%5D'],
  values: [...plain.values, ...words('a=b a]=b a%5D=b = % %5%5B %E0%A4 1,2 [ ] & a& #')]
}
const broken = ['', ...words('a ab = [ a[ a[b a] a]=1 []=1 [a]=1 a[[b]]=1')]

/**
 * Makes a generator of query strings: lists of parameters, each of them plain or odd. Some names come again, some more often than a list may
 * be long.
 */
export function createTexts(seed: number): () => string {
  const random = createGenerator(seed)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const name = ({ names, segments, brackets }: typeof plain, depths: readonly number[]) => {
    const segment = () => pick(brackets).replace(/(?<=^\[|%5B)/i, () => pick(segments))
    return pick(names) + Array.from({ length: pick(depths) }, segment).join('')
  }
  return () => {
    const isOdd = random() < 0.3
    const depths = isOdd ? [0, 1, 1, 2, 2, 3, 5, 6] : [0, 0, 0, 1, 1, 2]
    const parameters: string[] = []
    const count = pick([1, 2, 3, 4])
    for (let i = 0; i < count; i++) {
      const alphabet = isOdd && random() < 0.5 ? odd : plain
      const key = name(alphabet, depths)
      const repeated = random() < 0.02 ? 21 : random() < 0.1 ? 3 : 1
      for (let j = 0; j < repeated; j++) parameters.push(`${key}=${pick(alphabet.values)}`)
      if (isOdd && random() < 0.1) parameters.push(pick(broken))
    }
    return parameters.join('&')
  }
}
