import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Frame, RpcMessage } from './acp-recordings.ts'

const checkers = [checkerOf('schema.json'), checkerOf('schema.unstable.json')]

/** Mismatches with the protocol's schema, by sender. */
export function misfitsOf(frames: readonly Pick<Frame, 'dir' | 'msg'>[], agent: string): string[] {
  const asked = new Map<string, string>()
  return frames.flatMap(({ dir, msg }) => {
    const back = dir === 'c>a' ? 'a>c' : 'c>a'
    if (msg.method !== undefined && msg.id !== undefined) asked.set(`${dir} ${msg.id}`, msg.method)
    const method = msg.method ?? asked.get(`${back} ${msg.id}`) ?? ''
    const what = msg.method === undefined ? 'answer to ' : ''
    const wrong = msg.jsonrpc === '2.0' ? problemsOf(msg, method) : 'not JSON-RPC 2.0'
    return wrong === '' ? [] : [`${dir === 'a>c' ? agent : 'client'} ${what}${method}: ${wrong}`]
  })
}

function problemsOf(msg: RpcMessage, method: string): string {
  if (msg.method !== undefined) return problems(method, msg.id === undefined ? 'Notification' : 'Request', msg.params)
  if (msg.error !== undefined) return problemsWith('Error', msg.error)
  return problems(method, 'Response', msg.result)
}

/** What is wrong with a message of this method, by the stable schema, or by the unstable one if only that has it. */
export function problems(method: string, form: 'Request' | 'Response' | 'Notification', value: unknown): string {
  // Names with an underscore are the protocol's own way to extend it.
  if (method.startsWith('_')) return ''
  const check = checkers.map((checker) => checker.byMethod(method, form)).find((one) => one !== undefined)
  return check === undefined ? 'no such method' : told(check, value)
}

const problemsWith = (definition: string, value: unknown): string => {
  const check = checkers[0]?.byName(definition)
  return check === undefined ? `no ${definition} in the schema` : told(check, value)
}

const told = (check: ValidateFunction, value: unknown): string =>
  check(value) ? '' : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`).join('; ')

function checkerOf(file: string) {
  const path = fileURLToPath(new URL(`../../node_modules/@agentclientprotocol/sdk/schema/v1/${file}`, import.meta.url))
  const schema = JSON.parse(readFileSync(path, 'utf8')) as { $defs: Record<string, { 'x-method'?: string }> }
  // The schema has its own keywords (x-method) and number formats that JSON Schema does not have.
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(schema, file)
  const byName = (name: string) => ajv.getSchema(`${file}#/$defs/${name}`)
  return {
    byName,
    byMethod(method: string, form: string) {
      const [name] =
        Object.entries(schema.$defs).find(([key, rule]) => rule['x-method'] === method && key.endsWith(form)) ?? []
      return name === undefined ? undefined : byName(name)
    },
  }
}
