import { formats } from './formats.js'
import { intersections } from './intersections.js'
import type { Kinds } from './kind.js'
import { lists } from './lists.js'
import { numbers } from './numbers.js'
import { objects } from './objects.js'
import { presence } from './presence.js'
import { records } from './records.js'
import { recursions } from './recursions.js'
import { impossible, refused } from './refused.js'
import { texts } from './texts.js'
import { transformed } from './transformed.js'
import { unions } from './unions.js'
import { values } from './values.js'

/** All kinds of fields, by what they have in common. */
export const themes: Readonly<Record<string, Kinds>> = {
  texts,
  formats,
  numbers,
  values,
  presence,
  lists,
  objects,
  recursions,
  intersections,
  unions,
  transformed,
  records,
  refused,
  impossible
}
