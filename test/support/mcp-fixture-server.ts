import {
  acceptedContent,
  inputRequired,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { codec, fixtures, png, type Means } from './mcp-fixture-tools.ts'

const said = (text: string): GetPromptResult['messages'][number] => ({ role: 'user', content: { type: 'text', text } })

type Prompt = {
  name: string
  arguments?: { name: string; required: boolean }[]
  get(args: Record<string, string>, context: ServerContext): GetPromptResult | InputRequiredResult
}

const prompts: readonly Prompt[] = [
  { name: 'test_simple_prompt', get: () => ({ messages: [said('This is a simple prompt for testing.')] }) },
  {
    name: 'test_prompt_with_arguments',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, required: true })),
    get: ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    arguments: [{ name: 'resourceUri', required: true }],
    get({ resourceUri = '' }) {
      const text = 'Embedded resource content for testing.'
      const resource = { uri: resourceUri, mimeType: 'text/plain', text }
      return {
        messages: [
          { role: 'user', content: { type: 'resource', resource } },
          said('Please process the embedded resource above.'),
        ],
      }
    },
  },
  {
    name: 'test_prompt_with_image',
    get: () => ({
      messages: [
        { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
        said('Please analyze the image above.'),
      ],
    }),
  },
  {
    name: 'test_input_required_result_prompt',
    get(_args, { mcpReq }) {
      const given = acceptedContent(mcpReq.inputResponses, 'user_context')
      if (given) return { messages: [said(`With ${String(given['context'])}`)] }
      const message = 'What context should the prompt use?'
      const properties = { context: { type: 'string' as const } }
      const requestedSchema = { type: 'object' as const, properties, required: ['context'] }
      return inputRequired({ inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema }) } })
    },
  },
]

const resources = [
  { uri: 'test://static-text', name: 'text', description: 'A text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'binary', description: 'An image', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched', description: 'May change', mimeType: 'text/plain' },
]

function contentsOf(uri: string) {
  const template = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1]
  if (template !== undefined) {
    const text = JSON.stringify({ id: template, templateTest: true, data: `Data for ID: ${template}` })
    return { uri, mimeType: 'application/json', text }
  }
  const found = resources.find((resource) => resource.uri === uri)
  if (!found) throw new ResourceNotFoundError(uri)
  const { mimeType } = found
  return mimeType === 'image/png'
    ? { uri, mimeType, blob: png }
    : { uri, mimeType, text: 'This is the content of the static text resource.' }
}

/** What the conformance suite expects, on the same kind of server as the product's. */
export function fixtureServer(means: Means): Server {
  const server = new Server(
    { name: 'signalbox-fixtures', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: codec.verify },
    },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: fixtures.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const found = fixtures.find(({ name }) => name === params.name)
    if (!found) throw new ProtocolError(-32602, `Unknown tool: ${params.name}`)
    return found.run(params.arguments ?? {}, context, means)
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts.map(({ name, arguments: wanted }) => ({
      name,
      description: `Fixture of the conformance suite: ${name}`,
      ...(wanted && { arguments: wanted }),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const found = prompts.find(({ name }) => name === params.name)
    if (!found) throw new ProtocolError(-32602, `Unknown prompt: ${params.name}`)
    return found.get(params.arguments ?? {}, context)
  })
  server.setRequestHandler('resources/list', () => ({ resources }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [contentsOf(params.uri)] }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park', 'party'] } }))
  return server
}
