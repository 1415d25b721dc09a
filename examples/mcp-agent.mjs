// The smallest agent over MCP: plain HTTP, no library. It asks before it changes a file, and Signalbox writes it.
//   SIGNALBOX_TOKEN=sbx_… node examples/mcp-agent.mjs notes.md "Remember the milk"
// It works in workspace_root of config.toml, or in the [[workspace]] that WORKSPACE_ID names.
const base = process.env.SIGNALBOX_URL ?? 'http://127.0.0.1:3000'
const token = process.env.SIGNALBOX_TOKEN
if (!token) {
  console.error('SIGNALBOX_TOKEN is not set. Make a token with: signalbox tokens create --name demo --scope agent')
  process.exit(1)
}
const [file_path = 'notes.md', text = 'Remember the milk'] = process.argv.slice(2)

const revision = '2026-07-28'
// A new id is a new session; the same id again would go on with it.
const workspace = process.env.WORKSPACE_ID === undefined ? '' : `&workspace_id=${process.env.WORKSPACE_ID}`
const address = `${base}/mcp?session_id=${crypto.randomUUID()}${workspace}`
const _meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'example', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
let calls = 0
let reached = false

/** One call of a tool. With the same key it may be sent as often as the network makes us: it happens once. */
async function call(name, args) {
  const body = { jsonrpc: '2.0', id: ++calls, method: 'tools/call', params: { name, arguments: args, _meta } }
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    'mcp-method': 'tools/call',
    'mcp-name': name,
    'x-signalbox-call': `example:${calls}`,
  }
  const { result, error } = await patiently(() => post(body, headers))
  if (error) throw new Error(error.message)
  const said = result.structuredContent
  if (result.isError) throw new Error(`${said.error_code}: ${said.error_message}`)
  return said
}

async function post(body, headers) {
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status >= 500) throw new Error(`status ${response.status}`)
  return response.json()
}

/** A server that is away for a moment is asked again; one that was never there is not waited for. */
async function patiently(attempt) {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!reached && error.cause?.code === 'ECONNREFUSED') throw error
      reached = true
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

/** "pending" is no answer yet: the same tool again, with its request_id alone. */
async function decided(name, args) {
  let said = await call(name, args)
  while (said.status === 'pending') said = await call(name, { request_id: said.request_id })
  return said
}

async function main() {
  console.log(`Asking for ${file_path}. See it with: signalbox asks`)
  const said = await decided('ask_approval', { title: `Write ${file_path}`, file_path, diff: `${text}\n` })
  if (said.status === 'approved') {
    const { files_written } = await call('accept_diff', { request_id: said.request_id })
    for (const { path, bytes } of files_written) console.log(`Approved: ${path} is written, ${bytes} bytes.`)
  } else console.log(`Not approved (${said.status}). ${said.reason ?? ''}`)
  await fetch(address, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
}

main().catch((error) => {
  console.error(error.cause?.code === 'ECONNREFUSED' ? `No response from Signalbox at ${base}.` : error.message)
  process.exitCode = 1
})
