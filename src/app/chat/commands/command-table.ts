type CommandHelp = { readonly usage: string; readonly summary: string }

/** Every command, with its arguments as help shows them. */
export const commandTable = {
  help: { usage: 'help [COMMAND]', summary: 'Show the commands, or one of them' },
  agents: { usage: 'agents', summary: 'List the agents that you can start' },
  sessions: { usage: 'sessions [all | WORDS]', summary: 'List running sessions, all of them, or those that match' },
  start: { usage: 'start [AGENT | GROUP] [--repo REPO] PROMPT', summary: 'Start a session' },
  stop: { usage: 'stop [SESSION] [REASON]', summary: 'End a session' },
  restart: { usage: 'restart [SESSION] [PROMPT]', summary: 'Replace a session with a new one that continues it' },
  continue: { usage: 'continue [SESSION] [PROMPT]', summary: 'Continue an ended session' },
  pause: { usage: 'pause [SESSION] [REASON]', summary: 'Pause a session' },
  resume: { usage: 'resume [SESSION] [REASON]', summary: 'Resume a paused session' },
  steer: { usage: 'steer [SESSION] [--now] TEXT', summary: 'Send a message to the agent: after its turn, or now' },
  task: { usage: 'task [SESSION] TEXT', summary: 'Queue a message for when nothing else is waiting' },
  queue: { usage: 'queue [SESSION] | queue drop ITEM', summary: 'List queued messages, or remove one' },
  checkpoint: { usage: 'checkpoint [SESSION] [LABEL]', summary: "Save the files of a session's workspace" },
  restore: { usage: 'restore [CHECKPOINT] [--yes]', summary: 'List checkpoints, or restore one' },
  files: { usage: 'files [SESSION]', summary: 'List the files that a session changed' },
  show: { usage: 'show [ID]', summary: 'Show a session or an ask' },
  run: { usage: 'run [COMMAND] [SESSION]', summary: 'Run a configured command in the workspace of a session' },
  link: { usage: 'link [CODE]', summary: 'Link this chat account to your Signalbox account' },
  who: { usage: 'who', summary: 'Show who you are, and who owns the session of this thread' },
} as const satisfies Record<string, CommandHelp>

export type CommandName = keyof typeof commandTable
export const commandNames = Object.keys(commandTable) as CommandName[]
export const isCommandName = (word: string): word is CommandName => Object.hasOwn(commandTable, word)
