import { connect, type Socket } from 'node:net'
import { Answer } from './answer.js'

/**
 * Sends one request after the other over one connection, each after the answer to the one before:
 * the server then does the same in each run, so that counts can be compared.
 */
export class Load {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  static open(port: number): Promise<Load> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(new Load(socket)))
      // With one character for each byte, lengths are counted in bytes.
      socket.setEncoding('latin1').once('error', reject)
    })
  }

  /** @returns the body of the last answer @throws if an answer has another status */
  send(message: string, status: number, times: number): Promise<string> {
    const head = `HTTP/1.1 ${status} `
    const socket = this.#socket
    return new Promise((resolve, reject) => {
      let left = times
      let answer = new Answer()
      const onClose = (error?: Error) => reject(error ?? new Error('The server has closed the connection'))
      socket.removeAllListeners().on('error', onClose).on('close', onClose)
      socket.on('data', (piece: string) => {
        if (!answer.add(piece)) return
        if (!answer.text.startsWith(head)) reject(new Error(`Unexpected answer: ${answer.text}`))
        if (--left === 0) return resolve(answer.body)
        answer = new Answer()
        socket.write(message)
      })
      socket.write(message)
    })
  }

  close(): void {
    this.#socket.removeAllListeners().destroy()
  }
}
