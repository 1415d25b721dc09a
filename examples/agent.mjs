// The smallest agent that asks before it acts: plain HTTP, no library.
//   SIGNALBOX_TOKEN=sbx_… node examples/agent.mjs "rm -rf build"
const base = process.env.SIGNALBOX_URL ?? 'http://127.0.0.1:3000'
const token = process.env.SIGNALBOX_TOKEN
const command = process.argv[2] ?? 'echo hello'

async function call(method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${answer.error.message} ${answer.error.hint ?? ''}`)
  return answer
}

const session = await call('POST', '/api/sessions', {
  protocolMode: 'mcp',
  workspaceRoot: process.cwd(),
  agent: 'example',
})
let ask = await call('POST', `/api/sessions/${session.id}/asks`, {
  title: 'Run a command',
  subject: { kind: 'command', command, cwd: process.cwd() },
})
console.log(`Asked. Answer with: signalbox answer ${ask.id} approve`)

// A held request returns as soon as someone answers; after a minute without one, ask again.
while (ask.status === 'open') ask = await call('GET', `/api/asks/${ask.id}?wait=60`)
const approved = ask.status === 'answered' && ask.answer.outcome === 'approve'
console.log(approved ? `Approved by ${ask.answeredBy}: would run ${command}` : `Not approved (${ask.status}).`)
await call('POST', `/api/sessions/${session.id}/complete`, {})
