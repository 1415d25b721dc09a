import { allOf, newId, textOf, usage, wordsOf, type Dialect, type Item } from './talk.ts'

type Message = {
  role: string
  content?: string | { text?: string }[] | null
  tool_calls?: { function?: { name: string } }[]
}
type Body = {
  model: string
  stream?: boolean
  messages?: Message[]
  tools?: { function: { name: string; parameters?: object } }[]
}

/** OpenAI's chat completions: POST /v1/chat/completions. */
export const chat: Dialect = {
  read(text) {
    const { messages = [], tools = [] }: Body = JSON.parse(text)
    return {
      items: messages.flatMap(itemsOf),
      tools: tools.map(({ function: { name, parameters = {} } }) => ({ name, schema: parameters })),
    }
  },
  async write(wire, reply, { body }) {
    const { model, stream = false }: Body = JSON.parse(body)
    const base = { id: newId('chatcmpl-'), created: Math.floor(Date.now() / 1000), model }
    const finish = reply.calls.length > 0 ? 'tool_calls' : 'stop'
    const calls = reply.calls.map(({ id, tool, args }, index) => {
      return { index, id, type: 'function', function: { name: tool.name, arguments: JSON.stringify(args) } }
    })
    if (!stream) {
      const text = await allOf(reply.words)
      const message = { role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) }
      const choices = [{ index: 0, message, finish_reason: finish }]
      return wire.json({ ...base, object: 'chat.completion', choices, usage: tokens })
    }
    const send = wire.stream()
    const chunk = (delta: object, finish_reason: string | null = null) =>
      send({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
    chunk({ role: 'assistant', content: '' })
    for (const word of wordsOf(reply.think)) chunk({ reasoning_content: word })
    for await (const word of reply.words) chunk({ content: word })
    for (const call of calls) chunk({ tool_calls: [call] })
    chunk({}, finish)
    send({ ...base, object: 'chat.completion.chunk', choices: [], usage: tokens })
    send('[DONE]')
    wire.end()
  },
}

const tokens = {
  prompt_tokens: usage.read,
  completion_tokens: usage.written,
  total_tokens: usage.read + usage.written,
}

function itemsOf({ role, content, tool_calls = [] }: Message): Item[] {
  const text = textOf(content)
  if (role === 'tool') return [{ kind: 'outcome', text }]
  const calls = tool_calls.map((call): Item => ({ kind: 'call', name: call.function?.name ?? '' }))
  return text ? [{ kind: 'text', role, text }, ...calls] : calls
}
