import type { Handler } from '../command.ts'

export const version: Handler = async (_invocation, { parts, json, out }) => {
  if (json) out.json({ version: parts.version, node: process.versions.node })
  else out.print(`signalbox ${parts.version}`)
}
