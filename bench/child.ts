import { type ChildProcess, fork } from 'node:child_process'

/** A server in a process of its own. It ends with this one, however this one ends. */
export interface Child {
  readonly name: string
  readonly port: number
  /** The CPU time that the process has used, user and system, in microseconds. */
  cpuTime(): Promise<number>
  startProfile(): Promise<unknown>
  writeProfile(file: string): Promise<unknown>
  stop(): void
}

export async function startServer(name: string): Promise<Child> {
  const child = fork(new URL('./server.js', import.meta.url), [name], {
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: ['--expose-gc']
  })
  const ask = (...question: string[]) => {
    child.send(question)
    return answerOf(child, name)
  }
  return {
    name,
    port: await answerOf(child, name),
    cpuTime: () => ask('cpu'),
    startProfile: () => ask('profile'),
    writeProfile: (file) => ask('write', file),
    stop: () => child.disconnect()
  }
}

function answerOf(child: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`The server ${name} ended, with code ${code}`))
    child.once('exit', onExit)
    child.once('message', (answer) => {
      child.off('exit', onExit)
      resolve(answer as number)
    })
  })
}
