// The peer: bare node:http. It keeps every request for events, and writes what is published to each of them.
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { answerCalls, settings } from '../lib/answer-calls.ts'

export type FanOutSettings = { port: number; /** A JSON file. */ frames: string }

const { port, frames: file } = settings<FanOutSettings>()
const frames = JSON.parse(readFileSync(file, 'utf8')) as string[]
const readers = new Set<ServerResponse>()
let next = 0

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
    response.write('retry: 1000\n\n')
    readers.add(response)
    response.on('close', () => readers.delete(response))
    return
  }
  request.resume()
  request.on('end', () => {
    const text = request.url === '/burst' ? frames.join('') : (frames[next++ % frames.length] ?? '')
    for (const reader of readers) reader.write(text)
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end('{}')
  })
})
server.listen(port, '127.0.0.1', () => answerCalls({}))
