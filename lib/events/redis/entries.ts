import { type StoredEntry, toEntry } from '../entries.js'

/**
 * The entries in what `XREAD` answers for one stream: a list of streams, or in the newer protocol
 * of Redis (RESP3) names and entries by turns.
 */
export function entriesRead(answer: unknown): StoredEntry[] {
  const [stream, entries = stream?.[1]] = (answer ?? []) as [[unknown, unknown]?, unknown?]
  return readEntries(entries ?? [])
}

/**
 * Reads what `XRANGE` answers for one stream, in buffers: an id and a list of names and values for
 * each entry.
 */
export function readEntries(answer: unknown): StoredEntry[] {
  return (answer as [Buffer, Buffer[]][]).map(([id, members]) => {
    const fields = new Map<string, Buffer>()
    for (let i = 0; i < members.length; i += 2) fields.set(String(members[i]), members[i + 1] as Buffer)
    const json = fields.get('event')?.toString()
    return toEntry({ id: String(id), previous: String(fields.get('previous')), isLoss: fields.has('loss'), json })
  })
}
