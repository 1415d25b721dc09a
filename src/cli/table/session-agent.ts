import { command, oneOf, text } from '../command.ts'

export const sessionExportFlags = {
  format: oneOf('FORMAT', 'Output format', ['markdown', 'json']),
  output: text('FILE', 'Write there instead of printing'),
}

const session = { name: 'ID' }
const agent = () => import('../commands/session-agent.ts')

/** Commands for hosted agents; part of `sessions`. */
export const sessionAgentCommands = [
  command({
    name: 'why',
    summary: 'Why a session is not making progress, and what to do',
    args: [session],
    examples: ['signalbox sessions why 1f0c3a7e', 'signalbox sessions why 1f0c3a7e --json'],
    load: async () => (await agent()).why,
  }),
  command({
    name: 'mode',
    summary: "Set the agent's mode; without MODE, list them",
    args: [session, { name: 'MODE', optional: true }],
    examples: ['signalbox sessions mode 1f0c3a7e', 'signalbox sessions mode 1f0c3a7e plan'],
    load: async () => (await agent()).setMode,
  }),
  command({
    name: 'option',
    summary: 'Set an option of the agent, such as its model; without NAME, list them',
    args: [session, { name: 'NAME', optional: true }, { name: 'VALUE', optional: true }],
    examples: ['signalbox sessions option 1f0c3a7e', 'signalbox sessions option 1f0c3a7e model small'],
    load: async () => (await agent()).setOption,
  }),
  command({
    name: 'export',
    summary: 'Export the session as a document',
    args: [session],
    flags: sessionExportFlags,
    examples: [
      'signalbox sessions export 1f0c3a7e --output session.md',
      'signalbox sessions export 1f0c3a7e --format json',
    ],
    load: async () => (await import('../commands/sessions.ts')).exportSession,
  }),
]
