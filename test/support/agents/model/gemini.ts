import { allOf, newId, usage, type Dialect, type Item } from './talk.ts'

type Part = { text?: string; functionCall?: { name: string }; functionResponse?: { response?: unknown } }
type Declaration = { name: string; parametersJsonSchema?: object; parameters?: object }
type Body = {
  contents?: { role?: string; parts?: Part[] }[]
  tools?: { functionDeclarations?: Declaration[] }[]
  generationConfig?: { responseMimeType?: string; responseJsonSchema?: unknown; responseSchema?: unknown }
}

/** POST /v1beta/models/<model>:streamGenerateContent and :generateContent. */
export const gemini: Dialect = {
  read(text) {
    const { contents = [], tools = [] }: Body = JSON.parse(text)
    return {
      items: contents.flatMap(({ role, parts = [] }) => parts.flatMap((part) => itemOf(role, part) ?? [])),
      tools: tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, parametersJsonSchema, parameters }) => ({
          name,
          schema: parametersJsonSchema ?? parameters ?? {},
        })),
    }
  },
  async write(wire, reply, { body, streamed }) {
    const calls = reply.calls.map(({ id, tool, args }) => ({ functionCall: { id, name: tool.name, args } }))
    if (!streamed) {
      const text = asksForJson(body) ? JSON.stringify(sideAnswer) : await allOf(reply.words)
      return wire.json(answer([...(text ? [{ text }] : []), ...calls], true))
    }
    const send = wire.stream()
    if (reply.think) send(answer([{ text: `**Scripted thought** ${reply.think}`, thought: true }]))
    for await (const word of reply.words) send(answer([{ text: word }]))
    if (calls.length > 0) send(answer(calls))
    send(answer([{ text: '' }], true))
    wire.end()
  },
}

function itemOf(role: string | undefined, part: Part): Item | undefined {
  if (part.functionResponse) return { kind: 'outcome', text: JSON.stringify(part.functionResponse.response) }
  if (part.functionCall) return { kind: 'call', name: part.functionCall.name }
  if (part.text === undefined) return undefined
  return { kind: 'text', role: role === 'model' ? 'assistant' : 'user', text: part.text }
}

// Gemini CLI asks such side questions on its own; one answer fits them all.
const sideAnswer = {
  reasoning: 'scripted',
  next_speaker: 'user',
  model_choice: 'flash',
  complexity_reasoning: 'scripted',
  complexity_score: 1,
  confidence: 0,
}

function asksForJson(text: string): boolean {
  const { generationConfig: wanted = {} }: Body = JSON.parse(text)
  return wanted.responseMimeType === 'application/json' || Boolean(wanted.responseJsonSchema ?? wanted.responseSchema)
}

const answer = (parts: object[], last = false) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(last && { finishReason: 'STOP' }) }],
  usageMetadata: {
    promptTokenCount: usage.read,
    candidatesTokenCount: usage.written,
    totalTokenCount: usage.read + usage.written,
  },
  modelVersion: 'scripted',
  responseId: newId('resp_'),
})
