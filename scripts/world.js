// The outlines of the countries for the map of the atlas, from the npm package `world-countries` (ODbL 1.0).
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const width = 2000
const [sides, poles] = [2.70663, 1.31736]
const height = Math.round((width / sides) * poles)

/** Equal Earth: what has the same area is equally large on the map. */
function project([longitude, latitude]) {
  const half = Math.sqrt(3) / 2
  const angle = Math.asin(half * Math.sin((latitude * Math.PI) / 180))
  const [second, sixth] = [angle ** 2, angle ** 6]
  const slope = 1.340264 - 0.243318 * second + sixth * (0.006251 + 0.034164 * second)
  const x = ((longitude * Math.PI) / 180) * (Math.cos(angle) / (half * slope))
  const y = angle * (1.340264 - 0.081106 * second + sixth * (0.000893 + 0.003796 * second))
  return [Math.round(((x / sides + 1) * width) / 2), Math.round(((1 - y / poles) * height) / 2)]
}

/** The points of a line, without those that are not seen. Neighbours stay neighbours: both have the same points on their border. */
function simplify(points) {
  const line = []
  for (const [x, y] of points.map(project)) {
    const [before, last] = [line.at(-2), line.at(-1)]
    if (last?.[0] === x && last[1] === y) continue
    if (before && (last[0] - before[0]) * (y - last[1]) === (last[1] - before[1]) * (x - last[0])) line.pop()
    line.push([x, y])
  }
  return line
}

function toPath(points) {
  const steps = points.slice(1).map(([x, y], index) => `${x - points[index][0]} ${y - points[index][1]}`)
  return `M${points[0].join(' ')}l${steps.join(' ').replaceAll(' -', '-')}z`
}

const extentOf = (values) => Math.max(...values) - Math.min(...values)

function outlineOf({ cca3, latlng: [latitude, longitude] }, folder) {
  const { features } = JSON.parse(readFileSync(new URL(`data/${cca3.toLowerCase()}.geo.json`, folder), 'utf8'))
  const polygons = features.flatMap(({ geometry }) =>
    geometry?.type === 'Polygon' ? [geometry.coordinates] : (geometry?.coordinates ?? [])
  )
  const rings = polygons.flat().map(simplify)
  const extents = rings.flatMap((ring) => [0, 1].map((axis) => extentOf(ring.map((point) => point[axis]))))
  const [x, y] = project([longitude, latitude])
  const isSmall = Math.max(0, ...extents) < 12
  return [
    rings
      .filter(({ length }) => length > 3)
      .map(toPath)
      .join(''),
    x,
    y,
    isSmall
  ]
}

/** @returns for each code its outline, the middle of the country, and whether all of its parts are too small to be seen */
export function createWorld() {
  const folder = new URL('./', `file://${createRequire(import.meta.url).resolve('world-countries/countries.json')}`)
  const countries = JSON.parse(readFileSync(new URL('countries.json', folder), 'utf8'))
  const degrees = Array.from({ length: 61 }, (_, index) => index * 3 - 90)
  const sphere = simplify([
    ...degrees.map((latitude) => [-180, latitude]),
    ...degrees.toReversed().map((latitude) => [180, latitude])
  ])
  const outlines = Object.fromEntries(countries.map((country) => [country.cca3, outlineOf(country, folder)]))
  return { width, height, sphere: toPath(sphere), countries: outlines }
}
