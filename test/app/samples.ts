import type { AskKind, AskSubject } from '../../src/domain/ask/subject.ts'
import type { Answer, Outcome } from '../../src/domain/ask/answer.ts'

/** One subject of every kind, as small as its schema allows. */
export const subjects: { readonly [K in AskKind]: Extract<AskSubject, { kind: K }> } = {
  diff: { kind: 'diff', filePath: 'a.ts', diff: '+1', files: [] },
  command: { kind: 'command', command: 'make', cwd: '/work' },
  tool: { kind: 'tool', tool: 'browser', input: {} },
  permission: {
    kind: 'permission',
    toolCall: {},
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  },
  elicitation: { kind: 'elicitation', message: 'Which port?', schema: {} },
  prompt: { kind: 'prompt', text: 'Go on?', promptType: 'continuation', elapsedSeconds: null, actionsTaken: null },
  wait: { kind: 'wait', message: null },
  question: { kind: 'question', question: 'Which?', options: [], freeText: true },
  packages: { kind: 'packages', apt: ['jq'], npm: [], reason: 'to read JSON' },
  mcp_server: { kind: 'mcp_server', name: 'files', server: {}, reason: 'to read files' },
  create_agent: { kind: 'create_agent', name: 'helper', instructions: 'help', reason: null },
  credential: { kind: 'credential', name: 'key', host: 'example.org', reason: 'to call it' },
  admin_command: { kind: 'admin_command', command: { type: 'member.add' }, before: null, reason: null },
  unknown_sender: { kind: 'unknown_sender', identity: 'slack:U1', chat: 'general', messageId: null },
  new_chat: { kind: 'new_chat', chat: 'general', name: null },
  terminal_prompt: {
    kind: 'terminal_prompt',
    promptText: 'Sure?',
    promptType: 'yes_no',
    dangerous: false,
    suggestedInputs: [],
    promptId: null,
    secret: false,
    dangerReason: null,
  },
}

export const answers: { readonly [O in Outcome]: Extract<Answer, { outcome: O }> } = {
  approve: { outcome: 'approve', always: false, reason: null },
  reject: { outcome: 'reject', reason: 'not now' },
  select: { outcome: 'select', optionId: 'yes', reason: null },
  continue: { outcome: 'continue' },
  refine: { outcome: 'refine', instruction: 'only the tests' },
  resume: { outcome: 'resume', instruction: null },
  stop: { outcome: 'stop', reason: null },
  reply: { outcome: 'reply', value: 'blue' },
  accept: { outcome: 'accept', content: { port: 1 } },
  decline: { outcome: 'decline', reason: null },
}
