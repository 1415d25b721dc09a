// The agent in the screenshots: it speaks the Agent Client Protocol, and really reads, edits and
// runs; only its messages are scripted.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  agent,
  methods,
  ndJsonStream,
  type AgentContext,
  type SessionUpdate,
  type ToolCall,
  type ToolCallContent,
} from '@agentclientprotocol/sdk/unstable'

const steps = ['Find and fix the bug', 'Run the tests', 'Commit the fix']
const text = (said: string) => ({ type: 'text', text: said }) as const
const shown = (said: string): ToolCallContent => ({ type: 'content', content: text(said) })
const cwds = new Map<string, string>()

const app = agent({ name: 'builder' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    const sessionId = randomUUID()
    cwds.set(sessionId, params.cwd)
    return { sessionId }
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId }, client }) => {
    await work(sessionId, cwds.get(sessionId) ?? '', client)
    return { stopReason: 'end_turn' }
  })

async function work(sessionId: string, cwd: string, client: AgentContext): Promise<void> {
  const send = (update: SessionUpdate) => client.notify(methods.client.session.update, { sessionId, update })
  const say = (said: string) => send({ sessionUpdate: 'agent_message_chunk', content: text(said) })
  const plan = (at: number) =>
    send({
      sessionUpdate: 'plan',
      entries: steps.map((content, index) => ({
        content,
        priority: 'medium',
        status: index < at ? 'completed' : index === at ? 'in_progress' : 'pending',
      })),
    })
  const open = async (call: Omit<ToolCall, 'toolCallId'>): Promise<ToolCall> => {
    const whole = { toolCallId: randomUUID(), status: 'pending', ...call } as const
    await send({ sessionUpdate: 'tool_call', ...whole })
    return whole
  }
  const done = ({ toolCallId }: ToolCall, content?: ToolCallContent[]) =>
    send({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...(content && { content }) })
  const permitted = (toolCall: ToolCall) =>
    client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall,
      options: [
        { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
        { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
      ],
    })
  const read = async (name: string) => {
    const path = join(cwd, name)
    const tool = await open({ title: `Read ${name}`, kind: 'read', locations: [{ path }], rawInput: { path } })
    await done(tool, [shown(readFileSync(path, 'utf8'))])
  }
  const edit = async (name: string, from: string, to: string) => {
    const path = join(cwd, name)
    const oldText = readFileSync(path, 'utf8')
    const newText = oldText.replace(from, to)
    const content: ToolCallContent[] = [{ type: 'diff', path, oldText, newText }]
    const tool = await open({ title: `Edit ${name}`, kind: 'edit', locations: [{ path }], rawInput: { path }, content })
    await permitted(tool)
    writeFileSync(path, newText)
    await done(tool)
  }
  const run = async (command: string) => {
    const tool = await open({ title: `Run ${command}`, kind: 'execute', rawInput: { command, cwd } })
    await permitted(tool)
    const printed = execFileSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
    await done(tool, [shown(printed.trim())])
  }

  await send({
    sessionUpdate: 'agent_thought_chunk',
    content: text('Two free blocks show yellow: an off-by-one error.'),
  })
  await plan(0)
  await read('src/aspect.js')
  await say('`aspectFor` asks for **more than** two free blocks where two are enough.')
  const from = "if (freeBlocks > 2) return 'green'\n  if (freeBlocks > 1) return 'yellow'"
  await edit('src/aspect.js', from, "if (freeBlocks >= 2) return 'green'\n  if (freeBlocks === 1) return 'yellow'")
  await plan(1)
  await run('npm test --silent')
  await send({ sessionUpdate: 'usage_update', used: 18_400, size: 200_000, cost: { amount: 0.21, currency: 'USD' } })
  await say('All three tests pass. Two free blocks are **green** now, one is **yellow**, none is **red**.')
  await plan(2)
  await run('git commit --all --message "Two free blocks are green"')
  await plan(3)
}

const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
await app.connect(ndJsonStream(output, input)).closed
