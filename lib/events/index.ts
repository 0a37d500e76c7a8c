export {
  type EventLog,
  type LogEntry,
  type LoggedEvent,
  type LogListener,
  type MemoryLogOptions,
  memoryLog
} from './log.js'
export type { EventSubscriber, EventsLimits, EventsOptions, PublishedEvent, ServiceEvents } from './options.js'
export { default, type Events } from './plugin.js'
export type { TracedStream } from './stream.js'
