import { RequestError } from '@agentclientprotocol/sdk/unstable'

/** The error of a client or the file system, as text. */
export function errorText(error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error)
  return `${error.message} (${error.code})${error.data === undefined ? '' : ` ${JSON.stringify(error.data)}`}`
}
