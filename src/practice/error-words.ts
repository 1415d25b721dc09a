import { RequestError } from '@agentclientprotocol/sdk/unstable'

/** What a client or the file system said went wrong. */
export function inWords(error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error)
  return `${error.message} (${error.code})${error.data === undefined ? '' : ` ${JSON.stringify(error.data)}`}`
}
