// A hostile agent: it looks around in its network and says what it found, as JSON. Prompts it knows:
//   try JSON      each of { name, kind, … } is tried; says { name: what came of it }
//                 kind "tcp" (host, port): connects; "line" (line): asks the relay itself; "proxy" (target): CONNECT;
//                 "get" (url, headers): fetches, by the proxy if `proxied`
//   listen PORT   listens on its loopback from now on, and answers every request with its cookie
//   stream URL    reads from there until its end, saying each piece as it comes
//   servers       says the MCP servers it was given
import http from 'node:http'
import net from 'node:net'
import { createInterface } from 'node:readline'

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
/** @param {string} text */
const say = (text) =>
  send({
    method: 'session/update',
    params: { sessionId: 'one', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  })

/** @type {unknown} */
let servers = null
const proxy = URL.parse(process.env['HTTPS_PROXY'] ?? '')

/** What comes back for these bytes, or why nothing did. @param {net.NetConnectOpts} where @param {string} bytes @returns {Promise<string>} */
const exchange = (where, bytes) =>
  new Promise((resolve) => {
    const socket = net.connect(where)
    let heard = ''
    socket.setTimeout(5000, () => socket.destroy(new Error('silence')))
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (/** @type {Buffer} */ piece) => {
      heard += piece
      if (/SECRET|\n/.test(heard)) socket.destroy()
    })
    socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    socket.on('close', () => resolve(heard.slice(0, 200) || 'closed'))
  })

const ask = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

/** @typedef {{ kind: string, host: string, port: number, line: string, target: string, url: string, headers?: Record<string, string>, proxied?: boolean }} Try */

/** @param {Try} one */
function attempt({ kind, host, port, line, target, url, headers = {}, proxied }) {
  if (kind === 'tcp') return exchange({ host, port }, ask)
  if (kind === 'line') return exchange({ path: '/tmp/.signalbox-relay' }, `${line}\n${ask}`)
  if (!proxy && (kind === 'proxy' || proxied)) return 'no proxy'
  const way = { host: proxy?.hostname ?? '', port: Number(proxy?.port) }
  if (kind === 'proxy') return exchange(way, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n${ask}`)
  return fetched(url, headers, proxied ? way : null)
}

/** @param {string} url @param {Record<string, string>} headers @param {{ host: string, port: number } | null} way @returns {Promise<string>} */
const fetched = (url, headers, way) =>
  new Promise((resolve) => {
    const { host, hostname, port, pathname } = new URL(url)
    const options = way
      ? { ...way, path: url, headers: { host, ...headers } }
      : { host: hostname, port, path: pathname, headers }
    const request = http.get({ ...options, timeout: 5000 }, (response) => {
      let heard = ''
      response.on('data', (piece) => (heard += piece))
      response.on('end', () => resolve(`${response.statusCode} ${heard.slice(0, 200)}`))
    })
    request.on('timeout', () => request.destroy(new Error('silence')))
    request.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  })

/** @param {string} url @returns {Promise<string>} */
const stream = (url) =>
  new Promise((resolve) => {
    const request = http.get(url, (response) => {
      response.on('data', (piece) => say(String(piece)))
      response.on('end', () => resolve('END'))
      response.on('error', (error) => resolve(`BROKEN ${error.message}`))
    })
    request.on('error', (error) => resolve(`BROKEN ${error.message}`))
  })

/** @param {number} port @returns {Promise<string>} */
const listen = (port) =>
  new Promise((resolve) => {
    const server = http.createServer((request, response) => response.end(`AGENT got ${request.headers.cookie ?? ''}`))
    server.on('error', (error) => resolve(error.message))
    server.listen(port, '127.0.0.1', () => resolve('listening'))
  })

/** @param {string} text */
async function act(text) {
  const [, what = '', more = ''] = /^(\w+)(?: (.*))?$/s.exec(text) ?? []
  if (what === 'listen') return listen(Number(more))
  if (what === 'stream') return stream(more)
  if (what === 'servers') return JSON.stringify(servers)
  const entries = Object.entries(/** @type {Record<string, Try>} */ (JSON.parse(more)))
  return JSON.stringify(
    Object.fromEntries(await Promise.all(entries.map(async ([name, one]) => [name, await attempt(one)]))),
  )
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize')
      send({ id, result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } } })
    if (method === 'session/new') {
      servers = params.mcpServers
      send({ id, result: { sessionId: 'one' } })
    }
    if (method === 'session/prompt')
      void act(params.prompt[0].text).then((answer) => {
        say(answer)
        send({ id, result: { stopReason: 'end_turn' } })
      })
  })
  .on('close', () => process.exit(0))
