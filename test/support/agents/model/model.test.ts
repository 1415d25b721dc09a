import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../until.ts'
import { startModel, type Model } from './model.ts'
import { scriptOf, type Step } from './script.ts'

let model: Model
beforeAll(async () => {
  model = await startModel()
})
afterAll(() => model?.close())

type Ways = { path: string; body(prompt: string): object; word: RegExp }

const parameters = { properties: { path: { type: 'string' }, content: { type: 'string' } } }
const said = (content: string) => ({ messages: [{ role: 'user', content }], stream: true, model: 'any' })

const ways: Record<string, Ways> = {
  Anthropic: {
    path: '/v1/messages',
    body: (prompt) => ({ ...said(prompt), tools: [{ name: 'Write', input_schema: parameters }] }),
    word: /"text_delta","text":"(.*?)"/g,
  },
  Gemini: {
    path: '/v1beta/models/any:streamGenerateContent?alt=sse',
    body: (text) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      tools: [{ functionDeclarations: [{ name: 'write_file', parametersJsonSchema: parameters }] }],
    }),
    word: /"parts":\[\{"text":"(.*?)"/g,
  },
  'chat completions': {
    path: '/v1/chat/completions',
    body: (prompt) => ({ ...said(prompt), tools: [{ type: 'function', function: { name: 'write', parameters } }] }),
    word: /"delta":\{"content":"(.*?)"/g,
  },
  responses: {
    path: '/v1/responses',
    body: (prompt) => ({ input: prompt, stream: true, model: 'any', tools: [{ type: 'custom', name: 'apply_patch' }] }),
    word: /"delta":"(.*?)"/g,
  },
}

const ask = (way: Ways, steps: Step[], more: RequestInit = {}): Promise<Response> => {
  const body = JSON.stringify(way.body(`Please. ${scriptOf(...steps)} {and more}`))
  return fetch(`${model.url}${way.path}`, { method: 'POST', body, ...more })
}
const wordsIn = (text: string, { word }: Ways): string => [...text.matchAll(word)].map(([, found]) => found).join('')

describe.each(Object.entries(ways))('the scripted model speaking %s', (_name, way) => {
  it('says what the script in the prompt says', async () => {
    const text = await (await ask(way, [{ say: 'One {two} three.' }])).text()
    expect(wordsIn(text, way)).toBe('One {two} three.')
  })

  it('calls the matching tool', async () => {
    await (await ask(way, [{ write: { path: '/place/a.txt', content: 'one\n' } }, { say: 'Done.' }])).text()
    const last = model.requests().at(-1)
    expect(last).toMatchObject({ said: '', state: 'ended', calls: [expect.stringMatching(/write|patch/i)] })
  })
})

describe('the scripted model', () => {
  const way = ways['Anthropic']!

  it('waits at a gate until it is opened', async () => {
    const reply = await ask(way, [{ say: 'before after', gate: { name: 'test', after: 1 } }])
    await until(() => model.requests().at(-1)?.said === 'before ')
    model.open('test')
    expect(wordsIn(await reply.text(), way)).toBe('before after')
  })

  it('notices that nobody is listening any more', async () => {
    const stop = new AbortController()
    await ask(way, [{ say: 'before after', gate: { name: 'never', after: 1 } }], { signal: stop.signal })
    stop.abort()
    await until(() => model.requests().at(-1)?.state === 'hung up')
    expect(model.requests().at(-1)?.said).toBe('before ')
  })

  it('continues according to the outcome of a tool', async () => {
    const prompt = scriptOf({ write: { path: '/place/a.txt', content: 'one\n' } }, { say: 'Done.' })
    const outcome = { role: 'user', content: [{ type: 'tool_result', content: 'written' }] }
    const body = { ...way.body(prompt), messages: [{ role: 'user', content: prompt }, outcome] }
    const reply = await fetch(`${model.url}${way.path}`, { method: 'POST', body: JSON.stringify(body) })
    expect(wordsIn(await reply.text(), way)).toBe('Done.')
  })

  it('fails when told to', async () => {
    const reply = await ask(way, [{ error: { status: 429, message: 'Too many requests.' } }])
    expect([reply.status, await reply.text()]).toEqual([429, expect.stringContaining('Too many requests.')])
  })
})
