import {
  allOf,
  newId,
  textOf,
  usage,
  wordsOf,
  type Call,
  type Dialect,
  type Item,
  type Tool,
  type Wire,
} from './talk.ts'
import type { Reply } from './talk.ts'

type Entry = {
  type?: string
  role?: string
  name?: string
  content?: string | { text?: string }[]
  output?: unknown
}
type Offer = { type: string; name?: string; parameters?: object; tools?: Offer[] }
type Body = { model: string; stream?: boolean; input?: string | Entry[]; tools?: Offer[] }

/** OpenAI's responses: POST /v1/responses. */
export const responses: Dialect = {
  read(text) {
    const { input = [], tools = [] }: Body = JSON.parse(text)
    const entries = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    return { items: entries.flatMap((entry) => itemOf(entry) ?? []), tools: tools.flatMap((offer) => toolsOf(offer)) }
  },
  async write(wire, reply, { body }) {
    const { model, stream = false }: Body = JSON.parse(body)
    const response: Response = (status, output) => ({
      id,
      object: 'response',
      created_at: Math.floor(Date.now() / 1000),
      status,
      model,
      output,
      usage: status === 'completed' ? tokens : null,
    })
    const id = newId('resp_')
    if (stream) return streamed(wire, reply, response)
    const text = await allOf(reply.words)
    const said = text ? [messageItem(newId('msg_'), text)] : []
    wire.json(response('completed', [...said, ...reply.calls.map(callItem)]))
  },
}

type Response = (status: 'in_progress' | 'completed', output: object[]) => object

const tokens = {
  input_tokens: usage.read,
  output_tokens: usage.written,
  total_tokens: usage.read + usage.written,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
}

function itemOf({ type = '', role, name, content, output }: Entry): Item | undefined {
  if (type.endsWith('_call_output')) {
    return { kind: 'outcome', text: typeof output === 'string' ? output : JSON.stringify(output) }
  }
  if (type.endsWith('_call')) return { kind: 'call', name: name ?? type }
  return role === undefined ? undefined : { kind: 'text', role, text: textOf(content) }
}

function toolsOf(offer: Offer, namespace?: string): Tool[] {
  if (offer.type === 'namespace') return (offer.tools ?? []).flatMap((inner) => toolsOf(inner, offer.name))
  const { type, name = type, parameters = {} } = offer
  return [{ name, namespace, custom: type === 'custom', schema: parameters }]
}

const messageItem = (id: string, text: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})

function callItem({ id, tool, args }: Call) {
  const { name, namespace, custom = false } = tool
  const input = typeof args === 'string' ? args : JSON.stringify(args)
  const common = { call_id: id, name, status: 'completed' }
  if (custom) return { type: 'custom_tool_call', id: `ctc_${id}`, ...common, input }
  return { type: 'function_call', id: `fc_${id}`, ...common, ...(namespace && { namespace }), arguments: input }
}

async function streamed(wire: Wire, reply: Reply, response: Response): Promise<void> {
  const send = wire.stream()
  const output: object[] = []
  let sequence_number = 0
  const tell = (type: string, more: object) => {
    send({ type, sequence_number, output_index: output.length, ...more }, type)
    sequence_number += 1
  }
  const finish = (item: object) => {
    tell('response.output_item.done', { item })
    output.push(item)
  }

  tell('response.created', { response: response('in_progress', []) })
  if (reply.think) {
    const item_id = newId('rs_')
    const item = { type: 'reasoning', id: item_id, summary: [{ type: 'summary_text', text: reply.think }] }
    tell('response.output_item.added', { item: { ...item, summary: [] } })
    const part = { type: 'summary_text', text: '' }
    tell('response.reasoning_summary_part.added', { item_id, summary_index: 0, part })
    for (const delta of wordsOf(reply.think))
      tell('response.reasoning_summary_text.delta', { item_id, summary_index: 0, delta })
    tell('response.reasoning_summary_text.done', { item_id, summary_index: 0, text: reply.think })
    finish(item)
  }

  const item_id = newId('msg_')
  let text = ''
  for await (const delta of reply.words) {
    if (text === '') {
      tell('response.output_item.added', { item: { ...messageItem(item_id, ''), status: 'in_progress', content: [] } })
      const part = { type: 'output_text', text: '', annotations: [] }
      tell('response.content_part.added', { item_id, content_index: 0, part })
    }
    text += delta
    tell('response.output_text.delta', { item_id, content_index: 0, delta })
  }
  if (text) {
    tell('response.output_text.done', { item_id, content_index: 0, text })
    finish(messageItem(item_id, text))
  }

  for (const item of reply.calls.map(callItem)) {
    tell('response.output_item.added', { item: { ...item, status: 'in_progress' } })
    finish(item)
  }
  tell('response.completed', { response: response('completed', output) })
  wire.end()
}
