// The smallest agent that asks before it acts: plain HTTP, no library.
//   SIGNALBOX_TOKEN=sbx_… node examples/agent.mjs "rm -rf build"
const base = process.env.SIGNALBOX_URL ?? 'http://127.0.0.1:3000'
const token = process.env.SIGNALBOX_TOKEN
const command = process.argv[2] ?? 'echo hello'
if (!token) {
  console.error('SIGNALBOX_TOKEN is not set. Make a token with: signalbox tokens create --name demo --scope agent')
  process.exit(1)
}

async function call(method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (response.ok) return answer
  throw Object.assign(new Error(`${answer.error.message} ${answer.error.hint ?? ''}`), { status: response.status })
}

/** A held request returns as soon as someone answers. A server that is away for a moment is asked again. */
async function answerTo(id) {
  for (;;) {
    try {
      const ask = await call('GET', `/api/asks/${id}?wait=60`)
      if (ask.status !== 'open') return ask
    } catch (error) {
      if (error.status !== undefined && error.status < 500) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

async function main() {
  const workspaceRoot = process.cwd()
  const session = await call('POST', '/api/sessions', { protocolMode: 'mcp', workspaceRoot, agent: 'example' })
  const end = () => call('POST', `/api/sessions/${session.id}/complete`, {})
  process.once('SIGINT', () => void end().finally(() => process.exit(130)))
  const subject = { kind: 'command', command, cwd: workspaceRoot }
  const { id } = await call('POST', `/api/sessions/${session.id}/asks`, { title: `Run ${command}`, subject })
  console.log(`Asked. Answer with: signalbox answer ${id} approve`)
  const ask = await answerTo(id)
  const approved = ask.status === 'answered' && ask.answer.outcome === 'approve'
  console.log(approved ? `Approved: would run ${command}` : `Not approved (${ask.status}).`)
  await end()
}

main().catch((error) => {
  console.error(error.cause?.code === 'ECONNREFUSED' ? `No response from Signalbox at ${base}.` : error.message)
  process.exitCode = 1
})
