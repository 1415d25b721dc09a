import { createCalls, type Client, type Transport } from './calls.ts'
import { api } from './contract.ts'

export { ApiError, pathOf, type Client, type Transport } from './calls.ts'

export const createClient = (
  transport: Transport,
  defaults: { headers?: Readonly<Record<string, string>> } = {},
): Client => createCalls(api, transport, defaults)
