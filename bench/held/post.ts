import { Agent, request } from 'node:http'

export type Post = Disposable & { post(path: string, body: object): Promise<string> }

/** Posts over keep-alive connections that stay open after the first use. */
export function openPost(port: number, token: string): Post {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify(body)
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        }
        const sent = request({ port, host: '127.0.0.1', path, method: 'POST', agent, headers }, (response) => {
          const heard: Buffer[] = []
          response.on('data', (chunk: Buffer) => heard.push(chunk))
          response.on('end', () => {
            const answer = Buffer.concat(heard).toString()
            if ((response.statusCode ?? 0) < 300) resolve(answer)
            else reject(new Error(`${path} answered ${response.statusCode}: ${answer}`))
          })
        })
        sent.once('error', reject)
        sent.end(text)
      }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}
