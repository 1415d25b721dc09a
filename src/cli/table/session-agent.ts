import { command, oneOf, text } from '../command.ts'

export const sessionExportFlags = {
  format: oneOf('FORMAT', 'Output format', ['markdown', 'json']),
  output: text('FILE', 'Write there instead of printing'),
}

export const restartAgentFlags = { 'on-wake': text('TEXT', 'The first prompt for the new process') }

const session = { name: 'ID', of: 'session' } as const
const agent = () => import('../commands/session-agent.ts')

export const allowedFlags = { revoke: text('ID', 'Ask again for this one') }

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
    name: 'allowed',
    summary: 'What was allowed for the whole session; with --revoke, ask again for it',
    args: [session],
    flags: allowedFlags,
    examples: ['signalbox sessions allowed 1f0c3a7e', 'signalbox sessions allowed 1f0c3a7e --revoke 0199c2d4'],
    load: async () => (await import('../commands/session-allowances.ts')).allowed,
  }),
  command({
    name: 'conversations',
    summary: "The agent's own conversations in this folder, for start --conversation",
    args: [session],
    examples: ['signalbox sessions conversations 1f0c3a7e', 'signalbox sessions conversations 1f0c3a7e --json'],
    load: async () => (await agent()).listConversations,
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
    name: 'sleep',
    summary: 'End the idle agent of a session and keep its conversation; a prompt wakes it',
    args: [session],
    examples: ['signalbox sessions sleep 1f0c3a7e', 'signalbox sessions sleep 1f0c3a7e --json'],
    load: async () => (await agent()).sleepSession,
  }),
  command({
    name: 'wake',
    summary: 'Start the agent of a session that is asleep',
    args: [session],
    examples: ['signalbox sessions wake 1f0c3a7e', 'signalbox sessions wake 1f0c3a7e --json'],
    load: async () => (await agent()).wakeSession,
  }),
  command({
    name: 'restart-agent',
    summary: "End the agent's process and start another one for the same session",
    args: [session],
    flags: restartAgentFlags,
    examples: [
      'signalbox sessions restart-agent 1f0c3a7e',
      'signalbox sessions restart-agent 1f0c3a7e --on-wake "Installed: verify and report."',
    ],
    load: async () => (await agent()).restartAgent,
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
