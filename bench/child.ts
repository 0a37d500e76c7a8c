import { type ChildProcess, fork } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createLoad } from './load.js'

/** What a subject's process tells when it is ready. */
export interface Ready {
  /** Of a server. A subject without one makes calls. */
  readonly port: AddressInfo['port'] | undefined
}

/** A subject in a process of its own. It ends with this one, however this one ends. */
export interface Child {
  readonly pid: number
  readonly port: number | undefined
  /** The CPU time that the process has used, user and system, in microseconds. */
  cpuTime(): Promise<number>
  /** The heap after a collection, in bytes. */
  heap(): Promise<number>
  /** Lets the process do a work so many times: requests from here, or calls from there. */
  run(work: string, times: number): Promise<unknown>
  stop(): Promise<void>
}

/**
 * Starts a subject: `ours`, or `ours:1000@early` with an argument and the state.
 * @param command what starts a program: a Node binary, or what counts it, and flags
 */
export async function startSubject(subject: string, command: readonly string[], token: string): Promise<Child> {
  const [execPath = process.execPath, ...flags] = command
  const child = fork(new URL('./subject.js', import.meta.url), [subject, token], {
    execPath,
    execArgv: [...flags, '--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production' }
  })
  const { port } = await answerOf<Ready>(child, subject)
  const ask = <T>(...question: unknown[]) => {
    child.send(question)
    return answerOf<T>(child, subject)
  }
  const load = port === undefined ? undefined : await createLoad(port, token)
  return {
    pid: child.pid as number,
    port,
    cpuTime: () => ask('cpu'),
    heap: () => ask('heap'),
    run: (work, times) => (load === undefined ? ask('call', times) : load.drive(work, times)),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        load?.close()
        child.disconnect()
      })
  }
}

function answerOf<T>(child: ChildProcess, subject: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`${subject} ended, with code ${code}`))
    child.once('exit', onExit)
    child.once('message', (answer) => {
      child.off('exit', onExit)
      resolve(answer as T)
    })
  })
}
