import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Programs that come with Signalbox: in a bundle they are beside us, in a clone they are sources. */
const isSource = import.meta.url.endsWith('.ts')
const fileOf = (source: string, bundled: string): string =>
  fileURLToPath(new URL(isSource ? source : bundled, import.meta.url))

export const practiceAgent = (): { command: string; args: readonly string[] } => ({
  command: process.execPath,
  args: [fileOf('../practice/main.ts', './practice-agent.js')],
})

/** The part of the relay that runs in an agent's sandbox. */
export const relayInSandbox = (): readonly [string, ...string[]] => [
  process.execPath,
  '--max-semi-space-size=1',
  fileOf('../relay/main.ts', './relay.js'),
]

/** Runs a container in place of an agent. */
export const containerRunner = (): readonly [string, ...string[]] => [
  process.execPath,
  '--max-semi-space-size=1',
  fileOf('../runner/main.ts', './runner.js'),
]

/** `signalbox mcp`, for agents that take MCP servers only as programs, and the files it needs in a sandbox. */
export function mcpBridge(): { command: string; args: readonly string[]; files: readonly string[] } {
  const program = fileOf('../bin.ts', './signalbox.js')
  const root = dirname(dirname(program))
  return {
    command: process.execPath,
    args: [program, 'mcp'],
    files: [process.execPath, dirname(program), `${root}/package.json`, ...(isSource ? [`${root}/node_modules`] : [])],
  }
}
