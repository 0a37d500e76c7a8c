/** How many there are of each kind of what keeps this process from its end. */
export function countHandles(): Record<string, number> {
  const handles: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  return handles
}

/** What has been put on the prototype of objects. */
export const findPollution = (): string[] => [
  ...Object.keys(Object.prototype),
  ...('polluted' in {} ? ['polluted'] : [])
]
