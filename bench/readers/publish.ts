import { Agent, request } from 'node:http'

export type Publisher = Disposable & { post(path: string, times: number): Promise<void> }

/** Posts the same body this many times over a few keep-alive connections. */
export function createPublisher(port: number, token: string, body: string): Publisher {
  const callers = 10
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const once = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method: 'POST', agent, headers }, (response) => {
        response.resume()
        const refused = response.statusCode !== 201
        response.on('end', () => (refused ? reject(new Error(`${path} answered ${response.statusCode}`)) : resolve()))
      })
      sent.once('error', reject)
      sent.end(body)
    })
  return {
    async post(path, times) {
      let left = times
      const caller = async () => {
        for (; left > 0;) {
          left -= 1
          await once(path)
        }
      }
      await Promise.all(Array.from({ length: Math.min(callers, times) }, caller))
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}
