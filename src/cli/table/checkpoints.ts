import { command, on, text } from '../command.ts'

export const checkpointFlags = { label: text('TEXT', 'What is special about this moment') }
export const restoreFlags = {
  yes: on('Do it without asking'),
  'remove-new': on("Delete what the session's approved writes made since and nobody changed; other new files stay"),
}

const group = 'Watch and steer the work'
const session = { name: 'SESSION' }
const checkpoints = () => import('../commands/checkpoints.ts')

export const checkpointCommands = [
  command({
    name: 'checkpoints',
    summary: 'States of a workspace that were kept, newest first',
    group,
    args: [session],
    examples: ['signalbox checkpoints 1f0c3a7e', 'signalbox checkpoints 1f0c3a7e --json'],
    load: async () => (await checkpoints()).listCheckpoints,
  }),
  command({
    name: 'checkpoint',
    summary: 'Keep every file of the workspace of a session, to go back to',
    group,
    args: [session],
    flags: checkpointFlags,
    examples: ['signalbox checkpoint 1f0c3a7e', 'signalbox checkpoint 1f0c3a7e --label "before the refactoring"'],
    load: async () => (await checkpoints()).createCheckpoint,
  }),
  command({
    name: 'restore',
    summary: 'Put the files of a workspace back to a checkpoint; lists what differs and asks first',
    group,
    more: [
      'The state before is kept as a checkpoint of its own, and the agent working there is ended. What appeared since',
      'stays, unless --remove-new says that what the session itself made may go.',
    ].join('\n'),
    args: [{ name: 'CHECKPOINT' }],
    flags: restoreFlags,
    examples: ['signalbox restore 0199c2d4', 'signalbox restore 0199c2d4 --yes --remove-new'],
    load: async () => (await checkpoints()).restoreCheckpoint,
  }),
]
