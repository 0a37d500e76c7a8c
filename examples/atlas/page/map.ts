import { byId, element, fill } from './element.js'

/** What the file of the outlines holds of a country: its outline, where it is, and whether it is too small to be seen. */
type Outline = readonly [path: string, x: number, y: number, isSmall: boolean]

interface World {
  readonly width: number
  readonly height: number
  readonly sphere: string
  readonly countries: Readonly<Record<string, Outline>>
}

/** How a country is shown: out of the query, in it, or in the table. */
export interface Marks {
  readonly fits: ReadonlySet<string>
  readonly inTable: ReadonlySet<string>
  readonly open: string
}

/** A part of the map. */
interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const draw = (name: string, attributes: Record<string, string>) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name) as SVGGraphicsElement
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
  return node
}

/** The map of the world. Whoever can't use a mouse opens countries in the table. */
export async function createMap() {
  const { width, height, sphere, countries } = (await (await fetch('/page/world.json')).json()) as World
  const svg = byId('world')
  const shapes = new Map<string, SVGGraphicsElement>()
  const land = draw('g', { class: 'land' })
  for (const [code, [path, x, y, isSmall]] of Object.entries(countries)) {
    const shape = draw('g', { 'data-country': code })
    if (path !== '') shape.append(draw('path', { d: path }))
    // A line without a length has round ends, of the same size at each scale.
    if (isSmall) shape.append(draw('path', { d: `M${x} ${y}h0`, class: 'dot' }))
    shapes.set(code, shape)
    land.append(shape)
  }
  svg.setAttribute('viewBox', `-15 -15 ${width + 30} ${height + 30}`)
  const globe = draw('g', { class: 'globe' })
  globe.append(draw('path', { d: sphere, class: 'sphere' }), land)
  svg.append(globe)

  /** The middle of a country, as a part of the map without a size; nothing for one that is not on it. */
  function middleOf(code: string): Box[] {
    const outline = countries[code]
    return outline === undefined ? [] : [{ x: outline[1], y: outline[2], width: 0, height: 0 }]
  }

  /** The scale and the shift at which all of this can be seen. */
  function lookAt(boxes: readonly Box[]): string {
    if (boxes.length === 0) return 'none'
    const [left, right] = edges(boxes.flatMap(({ x, width }) => [x, x + width]))
    const [top, bottom] = edges(boxes.flatMap(({ y, height }) => [y, y + height]))
    const scale = Math.min(5, width / (right - left), height / (bottom - top))
    if (scale < 1.15) return 'none'
    const shift = (middle: number, size: number) =>
      Math.min(0, Math.max(size * (1 - scale), size / 2 - middle * scale)).toFixed(0)
    return `translate(${shift((left + right) / 2, width)}px, ${shift((top + bottom) / 2, height)}px) scale(${scale.toFixed(2)})`
  }

  return {
    show({ fits, inTable, open }: Marks): void {
      for (const [code, shape] of shapes) {
        shape.setAttribute('class', code === open ? 'open' : inTable.has(code) ? 'shown' : fits.has(code) ? 'fits' : '')
      }
      const openShape = shapes.get(open)
      const view = lookAt(openShape ? [openShape.getBBox()] : [...fits].flatMap(middleOf))
      globe.style.transform = view
      svg.classList.toggle('near', view !== 'none')
    },
    /** Points at a country. */
    point(code: string): void {
      for (const [shapeCode, shape] of shapes) shape.classList.toggle('pointed', shapeCode === code)
    }
  }
}

/** The smallest and the largest, with some room around them: a place may be that of the middle of a country. */
function edges(values: readonly number[]): [number, number] {
  return [Math.min(...values) - 110, Math.max(...values) + 110]
}

/** Says what the colours mean. */
export function showLegend({ fits, inTable, open }: Marks): void {
  const key = (name: string, text: string) => element('span', { className: `key ${name}` }, text)
  fill(
    byId('legend'),
    key('shown', `${inTable.size} in the table`),
    key('fits', `${fits.size} in the query`),
    open !== '' && key('open', 'open')
  )
}
