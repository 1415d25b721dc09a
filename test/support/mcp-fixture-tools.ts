import { setTimeout as pause } from 'node:timers/promises'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'

export type Means = { tell(kind: 'tools_list_changed' | 'prompts_list_changed'): void }

export type Fixture = {
  name: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  run(
    args: Record<string, unknown>,
    context: ServerContext,
    means: Means,
  ): Promise<CallToolResult | InputRequiredResult> | CallToolResult | InputRequiredResult
}

export const codec = createRequestStateCodec({ key: new Uint8Array(32).fill(7) })
/** One red pixel, and an empty sound. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] })
const nothing = { type: 'object' as const, properties: {} }
const words = (name: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string' } },
  required: [name],
})
const form = (message: string, name: string, wanted: 'string' | 'boolean' = 'string') => {
  const field = wanted === 'string' ? { type: 'string' as const } : { type: 'boolean' as const }
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: field }, required: [name] },
  })
}

const capabilitiesOf = ({ envelope }: ServerContext['mcpReq']): ClientCapabilities | undefined =>
  (envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]

async function elicit(
  context: ServerContext,
  message: string,
  requestedSchema: ElicitRequestFormParams['requestedSchema'],
): Promise<CallToolResult> {
  const { action, content } = await context.mcpReq.send({
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema },
  })
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)
}

const fixture = (name: string, run: Fixture['run'], inputSchema: Fixture['inputSchema'] = nothing): Fixture => ({
  name,
  description: `Fixture of the conformance suite: ${name}`,
  inputSchema,
  run,
})

const contents: Fixture[] = [
  fixture('test_simple_text', () => text('This is a simple text response for testing.')),
  fixture('test_image_content', () => ({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] })),
  fixture('test_audio_content', () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] })),
  fixture('test_embedded_resource', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  })),
  fixture('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  })),
  fixture('test_error_handling', () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
]

const lasting: Fixture[] = [
  fixture('test_tool_with_logging', async (_args, { mcpReq }) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', said)
      await pause(20)
    }
    return text('logged')
  }),
  fixture('test_logging_tool', async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'only for who asked for it')
    return text('logged')
  }),
  fixture('test_tool_with_progress', async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await pause(20)
    }
    return text('done')
  }),
  fixture('test_reconnection', async (_args, { http }) => {
    http?.closeSSE?.()
    await pause(100)
    return text('Reconnection test completed')
  }),
  fixture('test_trigger_tool_change', (_args, _context, { tell }) => (tell('tools_list_changed'), text('told'))),
  fixture('test_trigger_prompt_change', (_args, _context, { tell }) => (tell('prompts_list_changed'), text('told'))),
  fixture('test_missing_capability', (_args, { mcpReq }) => {
    if (capabilitiesOf(mcpReq)?.sampling) return text('sampling is there')
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  }),
]

const choices = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
]
const options = ['option1', 'option2', 'option3']

const asking: Fixture[] = [
  fixture(
    'test_sampling',
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.send({
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }], maxTokens: 100 },
      })
      return text(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`)
    },
    words('prompt'),
  ),
  fixture(
    'test_elicitation',
    async ({ message }, context) =>
      elicit(context, String(message), {
        type: 'object',
        properties: {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        },
        required: ['username', 'email'],
      }),
    words('message'),
  ),
  fixture('test_elicitation_sep1034_defaults', (_args, context) =>
    elicit(context, 'Defaults', {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    }),
  ),
  fixture('test_elicitation_sep1330_enums', (_args, context) =>
    elicit(context, 'Choices', {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: choices },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: choices } },
      },
    }),
  ),
]

const name = () => form('What is your name?', 'name')
const question = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens })

/** Over several rounds: asks for what is missing, until everything is there. */
const rounds: Fixture[] = [
  fixture('test_streaming_elicitation', () => inputRequired({ inputRequests: { user_name: name() } })),
  fixture('test_input_required_result_elicitation', (_args, { mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_name')
    return typeof given?.['name'] === 'string'
      ? text(`Hello, ${given['name']}!`)
      : inputRequired({ inputRequests: { user_name: name() } })
  }),
  fixture('test_input_required_result_sampling', (_args, { mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'capital_question')
    return given.kind === 'sampling'
      ? text(JSON.stringify(given.result.content))
      : inputRequired({ inputRequests: { capital_question: question('What is the capital of France?', 100) } })
  }),
  fixture('test_input_required_result_list_roots', (_args, { mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'client_roots')
    return given.kind === 'roots'
      ? text(given.roots.map(({ uri }) => uri).join(' '))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  }),
  ...['test_input_required_result_request_state', 'test_input_required_result_tampered_state'].map((called) =>
    fixture(called, async (_args, { mcpReq }) => {
      if (mcpReq.requestState() !== undefined && acceptedContent(mcpReq.inputResponses, 'confirm'))
        return text('state-ok')
      const requestState = await codec.mint({ step: 1 })
      return inputRequired({ inputRequests: { confirm: form('Please confirm', 'ok', 'boolean') }, requestState })
    }),
  ),
  fixture('test_input_required_result_multiple_inputs', async (_args, { mcpReq }) => {
    const kinds = ['user_name', 'greeting', 'client_roots'].map((key) => inputResponse(mcpReq.inputResponses, key).kind)
    if (kinds.join() === 'elicit,sampling,roots') return text('all there')
    return inputRequired({
      inputRequests: {
        user_name: name(),
        greeting: question('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ step: 1 }),
    })
  }),
  fixture('test_input_required_result_multi_round', async (_args, { mcpReq }) => {
    const state = mcpReq.requestState<{ step: number; name?: string }>()
    const first = acceptedContent(mcpReq.inputResponses, 'step1')
    const second = acceptedContent(mcpReq.inputResponses, 'step2')
    if (state?.step === 2 && second) return text(`${state.name} likes ${String(second['color'])}`)
    if (state?.step === 1 && first)
      return inputRequired({
        inputRequests: { step2: form('Step 2: What is your favorite color?', 'color') },
        requestState: await codec.mint({ step: 2, name: String(first['name']) }),
      })
    return inputRequired({
      inputRequests: { step1: form('Step 1: What is your name?', 'name') },
      requestState: await codec.mint({ step: 1 }),
    })
  }),
  fixture('test_input_required_result_capabilities', (_args, { mcpReq }) => {
    const able = capabilitiesOf(mcpReq)
    return inputRequired({
      inputRequests: {
        ...(able?.sampling && { greeting: question('Generate a greeting', 50) }),
        ...(able?.elicitation && { user_name: name() }),
      },
    })
  }),
]

const schema2020: Fixture['inputSchema'] = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // As text: an object with such a member would look like a promise.
  ...(JSON.parse('{"then":{"required":["phone"]}}') as object),
  else: { required: ['email'] },
  additionalProperties: false,
}

export const fixtures: readonly Fixture[] = [
  ...contents,
  ...lasting,
  ...asking,
  ...rounds,
  fixture('json_schema_2020_12_tool', () => text('ok'), schema2020),
]
