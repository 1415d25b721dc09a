import {
  allOf,
  newId,
  textOf,
  usage,
  wordsOf,
  type Call,
  type Dialect,
  type Item,
  type Reply,
  type Wire,
} from './talk.ts'

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; name: string }
  | { type: 'tool_result'; content: string | { text?: string }[] }
type Body = {
  model: string
  stream?: boolean
  messages?: { role: string; content: string | Block[] }[]
  tools?: { name: string; input_schema?: object }[]
}

/** POST /v1/messages. */
export const anthropic: Dialect = {
  read(text) {
    const { messages = [], tools = [] }: Body = JSON.parse(text)
    return {
      items: messages.flatMap(({ role, content }) => {
        const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
        return blocks.flatMap((block) => itemOf(role, block) ?? [])
      }),
      tools: tools.map(({ name, input_schema = {} }) => ({ name, schema: input_schema })),
    }
  },
  async write(wire, reply, { body }) {
    const { model, stream = false }: Body = JSON.parse(body)
    const message = { id: newId('msg_'), type: 'message', role: 'assistant', model, stop_sequence: null }
    const tokens = { input_tokens: usage.read, output_tokens: usage.written }
    if (stream) return streamed(wire, reply, message)
    const text = await allOf(reply.words)
    const content = [...(text ? [{ type: 'text', text }] : []), ...reply.calls.map((call) => toolUse(call, call.args))]
    wire.json({ ...message, content, stop_reason: stopOf(reply), usage: tokens })
  },
}

function itemOf(role: string, block: Block): Item | undefined {
  if (block.type === 'text') return { kind: 'text', role, text: block.text }
  if (block.type === 'tool_use') return { kind: 'call', name: block.name }
  return block.type === 'tool_result' ? { kind: 'outcome', text: textOf(block.content) } : undefined
}

const stopOf = ({ calls }: Reply) => (calls.length > 0 ? 'tool_use' : 'end_turn')
const toolUse = ({ id, tool }: Call, input: unknown) => ({
  type: 'tool_use',
  id: `toolu_${id}`,
  name: tool.name,
  input,
})

async function streamed(wire: Wire, reply: Reply, message: object): Promise<void> {
  const send = wire.stream()
  const tell = (event: { type: string } & Record<string, unknown>) => send(event, event.type)
  let index = 0
  const open = (block: object) => tell({ type: 'content_block_start', index, content_block: block })
  const delta = (part: object) => tell({ type: 'content_block_delta', index, delta: part })
  const close = () => {
    tell({ type: 'content_block_stop', index })
    index += 1
  }

  const tokens = { input_tokens: usage.read, output_tokens: 1 }
  tell({ type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: tokens } })
  if (reply.think) {
    open({ type: 'thinking', thinking: '', signature: '' })
    for (const word of wordsOf(reply.think)) delta({ type: 'thinking_delta', thinking: word })
    delta({ type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' })
    close()
  }
  let speaking = false
  for await (const word of reply.words) {
    if (!speaking) open({ type: 'text', text: '' })
    speaking = true
    delta({ type: 'text_delta', text: word })
  }
  if (speaking) close()
  for (const call of reply.calls) {
    open(toolUse(call, {}))
    delta({ type: 'input_json_delta', partial_json: JSON.stringify(call.args) })
    close()
  }
  const stop = { stop_reason: stopOf(reply), stop_sequence: null }
  tell({ type: 'message_delta', delta: stop, usage: { output_tokens: usage.written } })
  tell({ type: 'message_stop' })
  wire.end()
}
