/** A count as people read it: `10,000`. */
export const toCountText = (count: number): string => new Intl.NumberFormat().format(count)

/** A time as people read it: `12 ms`, `1.2 s`. */
export const toDuration = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`

/** How much it is: `1.2 kB`. */
export function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${Number(size.toFixed(1))} ${unit}`
}
