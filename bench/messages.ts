export interface Message {
  id: string
  createdAt: number
  text: string
  status: string
}

type NewMessage = Pick<Message, 'text' | 'status'>

export interface Params {
  query?: { status?: string | { $ne?: string }; $limit?: string | number; $sort?: { createdAt?: string | number } }
}

export interface Page {
  total: number
  limit: number
  skip: number
  data: Message[]
}

const size = 1000

/** A service that costs next to nothing, so that what is measured is the way to it. Every server has one of its own. */
export class Messages {
  // Not `#`: Feathers calls the methods on an object that inherits from this one.
  protected readonly records = new Map<string, Message>()
  private count = 0

  /** @param missing creates the error for a record that does not exist: each side has its own */
  constructor(private readonly missing = (message: string): Error => new Error(message)) {
    for (let i = 0; i < size; i++) this.add({ text: `Message ${i}`, status: i % 4 === 0 ? 'done' : 'open' })
  }

  async get(id: string): Promise<Message> {
    const record = this.records.get(id)
    if (record === undefined) throw this.missing(`There is no message '${id}'`)
    return record
  }

  async find({ query = {} }: Params): Promise<Message[] | Page> {
    const limit = Number(query.$limit)
    const isDescending = String(query.$sort?.createdAt) === '-1'
    const { status } = query
    const isWanted =
      typeof status === 'object'
        ? (message: Message) => message.status !== status.$ne
        : (message: Message) => message.status === status
    const matching: Message[] = []
    for (let i = 0; i < size && matching.length < limit; i++) {
      const record = this.records.get(String((isDescending ? this.count - 1 - i : this.count + i) % size))
      if (record !== undefined && isWanted(record)) matching.push(record)
    }
    return matching
  }

  async create(data: unknown): Promise<Message | Message[]> {
    return Array.isArray(data) ? data.map((record) => this.add(record)) : this.add(data as NewMessage)
  }

  /** A new record takes the place and the id of the oldest one: the memory stays as it is. */
  private add({ text, status }: NewMessage): Message {
    const id = String(this.count % size)
    const record = { id, createdAt: 1_700_000_000_000 + this.count++ * 1000, text, status }
    this.records.set(id, record)
    return record
  }
}

/** Messages whose `find` gives pages. */
export class PagedMessages extends Messages {
  override async find({ query = {} }: Params): Promise<Page> {
    const limit = Number(query.$limit)
    return { total: size, limit, skip: 0, data: [...this.records.values()].slice(0, limit) }
  }
}

/** The schema of one record. */
export const messageSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    createdAt: { type: 'integer' },
    text: { type: 'string' },
    status: { type: 'string' }
  }
}

/** What a client may send, and ask for: Fastify checks it by these where a route is written by hand. */
export const newMessageSchema = {
  type: 'object',
  properties: { text: { type: 'string' }, status: { type: 'string' } },
  required: ['text', 'status'],
  additionalProperties: false
}
export const messageQuerySchema = {
  type: 'object',
  properties: { status: { type: 'string' }, $limit: { type: 'integer' } },
  additionalProperties: false
}

/** The schema of a record by which `resource()` checks the same. */
export const messageResourceSchema = {
  ...messageSchema,
  required: ['id', 'createdAt', 'text', 'status'],
  additionalProperties: false
}
