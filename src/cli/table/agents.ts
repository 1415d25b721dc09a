import { command, family, list, number, on, oneOf, text } from '../command.ts'
import { terminalAttachFlags } from './run.ts'
import { withTemplateFlags } from './templates.ts'

export const startFlags = {
  name: text('NAME', 'What to call the session'),
  repo: text('REPO', "Work in this repo, by path, id or name (default: the current directory's)"),
  workspace: text('DIR', 'Work in this directory (not necessarily a repo)'),
  worktree: on('Work in a separate Git worktree'),
  isolation: oneOf('HOW', 'How to confine the agent (default: as configured)', ['none', 'sandbox', 'container']),
  group: text('GROUP', 'Start it for an agent group, which says where it works and how it runs'),
  model: text('MODEL', 'The model to use (default: as the agent group or the agent says)'),
  effort: text('EFFORT', 'How much the model thinks, in the words of the agent'),
  'agent-mode': text('MODE', 'The mode of the agent to begin in'),
  option: list('NAME=VALUE', 'An option of the agent; can be repeated'),
  conversation: text('ID', "Continue one of the agent's own conversations in this folder (sessions conversations)"),
  auth: text('METHOD', 'Sign-in method of the agent'),
  budget: text('USD', 'Pause and ask when the agent has spent this much'),
  attach: list('FILE', 'Send this file along, such as a screenshot; can be repeated'),
  ...withTemplateFlags,
  detach: on('Run in the background; attach shows it later'),
}
export const continueFlags = {
  detach: on('Run in the background; attach shows it later'),
  replace: on('End the session first if it has not ended'),
}
export const handoverFlags = {
  to: text('AGENT', 'The agent that takes over'),
  model: text('MODEL', 'The model to use'),
  effort: text('EFFORT', 'How much the model thinks, in the words of the agent'),
  tokens: number('N', 'How much it is told, in tokens (8000)', 500),
  detach: on('Run in the background; attach shows it later'),
}
export const promptFlags = {
  now: on('Cancel the turn, and send this now'),
  later: on('Send this when nothing else is queued'),
  attach: list('FILE', 'Send this file along, such as a screenshot; can be repeated'),
  ...withTemplateFlags,
  wait: on('Wait for the turn to end, and show the work'),
}
export const logFlags = {
  stderr: on("Show the agent's error output"),
  agent: on('Show each process of the agent with its error output, also after its end'),
  follow: on('Keep following new output'),
  all: on('Show the output of commands in full'),
}
export const agentFlags = { quick: on("Only check that they are installed; don't start them") }
export const changeQueuedFlags = {
  when: oneOf('WHEN', 'When to send it', ['now', 'next', 'later']),
  before: text('ITEM', 'Send it before this one'),
  last: on('Send it after the others that wait for the same moment'),
}
export const queueFlags = { all: on('Also list what is done') }
export const stopFlags = {
  'keep-agents': on('Agents keep running in the background; the next start reconnects'),
  reason: text('TEXT', 'With a session: why; kept in the log'),
  yes: on('End running agents with the server without asking'),
}
export const searchFlags = {
  session: text('ID', 'Only in a session'),
  limit: number('N', 'How many (20)', 1),
}

const agents = 'Work with agents'
const session = { name: 'SESSION' }
const attach = () => import('../commands/attach.ts')

export const agentCommands = [
  command({
    name: 'start',
    summary: 'Start an agent here, watch it work, and answer its asks',
    group: agents,
    more: [
      'With several arguments, the first is the agent (signalbox agents). A quoted prompt alone goes to the default agent.',
      'A prompt of - is read from standard input. Ctrl-C cancels the turn; Ctrl-D leaves it running. A line typed',
      'meanwhile is the next prompt.',
      'Without a terminal it ends after the turn, or with exit code 8 if an answer is needed.',
    ].join('\n'),
    args: [
      { name: 'AGENT', optional: true },
      { name: 'PROMPT', optional: true, rest: true },
    ],
    flags: startFlags,
    examples: [
      'signalbox start "fix the failing test"',
      'signalbox start claude --worktree --budget 2 "add a checkout page"',
      'signalbox start practice',
      'signalbox start --template fix-issue --set number=42',
      'signalbox start --repo shop --detach --json "update the dependencies"',
    ],
    load: async () => (await import('../commands/start.ts')).start,
  }),
  command({
    name: 'attach',
    summary: 'Watch a running session, answer and prompt it; or attach to a terminal',
    group: agents,
    more: [
      'Without SESSION: the one running in this workspace, or a list of them.',
      'Attaching shows the terminal as it is now and connects yours to it; Ctrl-] d detaches.',
    ].join('\n'),
    args: [{ ...session, optional: true }],
    flags: terminalAttachFlags,
    examples: ['signalbox attach', 'signalbox attach 1f0c3a7e', 'signalbox attach 1f0c3a7e --json'],
    load: async () => (await attach()).attach,
  }),
  command({
    name: 'prompt',
    summary: 'Send a message to an agent: after its turn, now or later',
    group: agents,
    args: [session, { name: 'TEXT', optional: true, rest: true }],
    flags: promptFlags,
    examples: [
      'signalbox prompt 1f0c3a7e "also update the docs"',
      'signalbox prompt 1f0c3a7e --attach before.png "the button is cut off"',
      'signalbox prompt 1f0c3a7e --now --wait "stop that, run the tests first"',
    ],
    load: async () => (await attach()).prompt,
  }),
  command({
    name: 'continue',
    summary: 'Continue an ended session as a new one of its lineage',
    group: agents,
    args: [session, { name: 'PROMPT', optional: true, rest: true }],
    flags: continueFlags,
    examples: ['signalbox continue 1f0c3a7e', 'signalbox continue 1f0c3a7e "now the tests"'],
    load: async () => (await attach()).continueSession,
  }),
  command({
    name: 'handover',
    summary: 'Continue a session with another agent, which is told what was done',
    group: agents,
    more: 'The session ends, and a new one of its lineage begins in the same folder. PROMPT says what to do next.',
    args: [session, { name: 'PROMPT', optional: true, rest: true }],
    flags: handoverFlags,
    examples: [
      'signalbox handover 1f0c3a7e --to claude',
      'signalbox handover 1f0c3a7e --to codex "finish the tests" --detach',
    ],
    load: async () => (await import('../commands/handover.ts')).handover,
  }),
  command({
    name: 'stop',
    summary: 'End a session; without one, stop the server and its agents',
    group: agents,
    args: [{ ...session, optional: true }],
    flags: stopFlags,
    more: 'If agents would end with the server, it shows them and asks first.',
    examples: ['signalbox stop 1f0c3a7e', 'signalbox stop', 'signalbox stop --keep-agents', 'signalbox stop --yes'],
    load: async () => (await import('../commands/stop.ts')).stop,
  }),
  command({
    name: 'logs',
    summary: "Messages and tool calls of a session, or its agent's error output",
    group: agents,
    args: [session],
    flags: logFlags,
    examples: [
      'signalbox logs 1f0c3a7e',
      'signalbox logs 1f0c3a7e --all',
      'signalbox logs 1f0c3a7e --stderr',
      'signalbox logs 1f0c3a7e --agent',
      'signalbox logs 1f0c3a7e --follow',
    ],
    load: async () => (await import('../commands/logs.ts')).logs,
  }),
  command({
    name: 'agents',
    summary: 'List agents that can be started here, and how to install others',
    group: agents,
    flags: agentFlags,
    examples: ['signalbox agents', 'signalbox agents --quick', 'signalbox agents --json'],
    load: async () => (await import('../commands/agents.ts')).agents,
  }),
  family({
    name: 'queue',
    summary: 'Prompts waiting for an agent',
    group: agents,
    alone: 'list',
    examples: ['signalbox queue 1f0c3a7e', 'signalbox queue drop 1f0c3a7e 0199c2d4'],
    children: [
      command({
        name: 'list',
        summary: 'Queued prompts, in order (the default)',
        args: [session],
        flags: queueFlags,
        examples: ['signalbox queue 1f0c3a7e', 'signalbox queue 1f0c3a7e --all --json'],
        load: async () => (await import('../commands/queue.ts')).listQueue,
      }),
      command({
        name: 'edit',
        summary: 'Change the words of a waiting prompt',
        args: [session, { name: 'ITEM' }, { name: 'TEXT', rest: true }],
        examples: [
          'signalbox queue edit 1f0c3a7e 0199c2d4 "update the docs, in German too"',
          'signalbox queue edit 1f0c3a7e 0199c2d4 "only the guide" --json',
        ],
        load: async () => (await import('../commands/queue.ts')).editQueued,
      }),
      command({
        name: 'move',
        summary: 'Change when a waiting prompt is sent',
        args: [session, { name: 'ITEM' }],
        flags: changeQueuedFlags,
        examples: [
          'signalbox queue move 1f0c3a7e 0199c2d4 --before 0199c2aa',
          'signalbox queue move 1f0c3a7e 0199c2d4 --when later',
        ],
        load: async () => (await import('../commands/queue.ts')).moveQueued,
      }),
      command({
        name: 'drop',
        summary: 'Remove a waiting prompt',
        args: [session, { name: 'ITEM' }],
        examples: ['signalbox queue drop 1f0c3a7e 0199c2d4', 'signalbox queue drop 1f0c3a7e 0199c2d4 --json'],
        load: async () => (await import('../commands/queue.ts')).dropQueued,
      }),
    ],
  }),
  command({
    name: 'search',
    summary: 'Search the messages of all sessions',
    group: agents,
    args: [{ name: 'WORDS', rest: true }],
    flags: searchFlags,
    examples: ['signalbox search checkout page', 'signalbox search "flaky test" --session 1f0c3a7e'],
    load: async () => (await import('../commands/search.ts')).search,
  }),
]
