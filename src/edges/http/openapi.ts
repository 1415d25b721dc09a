import * as z from 'zod'
import { eventTypes, liveTypes } from '../../app/events.ts'
import { api } from '../../client/contract.ts'
import type { Endpoint } from '../../client/endpoint.ts'
import { keyHeader } from './request.ts'
import { isRecord, ownJson } from '../../lib/parse-json.ts'

type JsonSchema = Record<string, unknown>
export type ApiOperation = {
  tags: string[]
  summary: string
  operationId: string
  parameters: { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, unknown>
  /** Event types of the stream; later versions may add more. */
  'x-event-types'?: readonly string[]
  'x-live-event-types'?: readonly string[]
}
export type OpenApi = {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  security: Record<string, string[]>[]
  paths: Record<string, Record<string, ApiOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    securitySchemes: Record<string, JsonSchema>
    responses: JsonSchema
  }
}

const ErrorShape = z
  .object({
    error: z.object({
      code: z.string().meta({ description: 'Stable, for programs.' }),
      message: z.string().meta({ description: 'For people.' }),
      hint: z.string().optional().meta({ description: 'What to do next.' }),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: 'Error' })

/** The document, generated from the schemas that validate requests. */
export function openApi(version: string, cookieName: string): OpenApi {
  const schemas: Record<string, JsonSchema> = {}
  const toSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const {
      $schema: _dialect,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => void delete jsonSchema['~standard'],
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> }
    for (const [name, definition] of Object.entries($defs ?? {}))
      if (!anonymous.test(name)) schemas[suffixed(name, io)] ??= relocated(definition, io)
    const id = rest['id']
    if (typeof id !== 'string') return relocated(rest, io)
    const { id: _id, ...named } = rest
    schemas[suffixed(id, io)] ??= relocated(named, io)
    return { $ref: `#/components/schemas/${suffixed(id, io)}` }
  }
  const error = toSchema(ErrorShape, 'output')
  const paths: OpenApi['paths'] = {}
  for (const [name, endpoint] of Object.entries<Endpoint>(api)) {
    const operations = (paths[endpoint.path] ??= {})
    operations[endpoint.method.toLowerCase()] = operationOf(name, endpoint, toSchema)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description: 'Everything a person can do with Signalbox, for programs.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { cookie: [], key: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'signalbox tokens create --name NAME' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName,
          description: 'Set by a login link; valid only together with its key.',
        },
        key: {
          type: 'apiKey',
          in: 'header',
          name: keyHeader,
          description: 'Key of the same login; kept by the page that signed in.',
        },
      },
      responses: {
        Error: { description: 'What went wrong, and what to do', content: { 'application/json': { schema: error } } },
      },
    },
  }
}

const suffixed = (name: string, io: 'input' | 'output'): string => (io === 'input' ? `${name}Input` : name)

/** Definitions without a name: any JSON value, which is recursive. Generated clients can't compile it, and `{}` means the same. */
const anonymous = /^__schema\d+$/

/** Rewrites references within a schema to references into the document. */
function relocated(schema: JsonSchema, io: 'input' | 'output'): JsonSchema {
  const text = JSON.stringify(schema, (_key, part: unknown) => (isAnyJson(part) ? {} : part)).replace(
    /"#\/\$defs\/([^"]+)"/g,
    (_whole, name: string) => `"#/components/schemas/${suffixed(name, io)}"`,
  )
  const { id: _id, ...rest } = ownJson(text, 'The schema', isRecord)
  return rest
}

const isAnyJson = (part: unknown): boolean =>
  isRecord(part) && typeof part['$ref'] === 'string' && anonymous.test(part['$ref'].replace('#/$defs/', ''))

/** What can go wrong, for clients that distinguish it. */
function faultsOf({ path, method }: Endpoint): string[] {
  const always = ['400', '401', '403', '429']
  return [...always, ...(path.includes('{') ? ['404'] : []), ...(method === 'GET' ? [] : ['404', '409', '413', '415'])]
}

function operationOf(
  name: string,
  endpoint: Endpoint,
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => JsonSchema,
): ApiOperation {
  const text =
    endpoint.path === '/api/events'
      ? 'text/event-stream'
      : endpoint.path === '/api/audit/export'
        ? 'application/x-ndjson'
        : endpoint.path === '/api/sessions/{id}/export'
          ? 'text/markdown'
          : endpoint.path.endsWith('/live')
            ? 'application/octet-stream'
            : endpoint.path.endsWith('/cast')
              ? 'application/x-asciicast'
              : 'application/json'
  const operation: ApiOperation = {
    tags: [endpoint.tag],
    summary: endpoint.summary,
    operationId: name,
    parameters: [
      ...parametersOf(endpoint.params, 'path', toSchema),
      ...parametersOf(endpoint.query, 'query', toSchema),
      ...(endpoint.method === 'POST' ? [idempotencyKey] : []),
    ],
    responses: {
      [String(endpoint.status)]: {
        description: endpoint.summary,
        content: { [text]: { schema: toSchema(endpoint.response, 'output') } },
      },
      ...Object.fromEntries(faultsOf(endpoint).map((status) => [status, { $ref: '#/components/responses/Error' }])),
      default: { $ref: '#/components/responses/Error' },
    },
  }
  if (endpoint.body)
    operation.requestBody = {
      required: !endpoint.body.safeParse({}).success,
      content: { 'application/json': { schema: toSchema(endpoint.body, 'input') } },
    }
  if (endpoint.path === '/api/events') {
    operation['x-event-types'] = eventTypes
    operation['x-live-event-types'] = liveTypes
  }
  return operation
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeated request with the same key returns the first result and changes nothing.',
  schema: { type: 'string', maxLength: 200 },
}

function parametersOf(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => JsonSchema,
): ApiOperation['parameters'] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(schema.shape).map(([name, part]) => {
    const converted = toSchema(part, 'input')
    const required = place === 'path' || !part.safeParse(undefined).success
    const parameter: ApiOperation['parameters'][number] = { name, in: place, required, schema: converted }
    if (typeof converted['description'] === 'string') parameter.description = converted['description']
    return parameter
  })
}
