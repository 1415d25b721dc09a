import { command, family, on, text } from '../command.ts'

export const checkpointFlags = { label: text('TEXT', 'A label for this checkpoint') }
export const restoreFlags = {
  yes: on('Do not ask for confirmation'),
  'remove-new': on("Delete new files that the session's approved writes created and nobody changed since"),
}

const group = 'Watch and steer the work'
const session = { name: 'SESSION' }
const checkpoints = () => import('../commands/checkpoints.ts')

export const showFlags = { files: on('List its files with their SHA-256') }

export const checkpointCommands = [
  family({
    name: 'checkpoints',
    summary: 'List checkpoints; show one, and its files',
    group,
    alone: 'list',
    examples: ['signalbox checkpoints 1f0c3a7e', 'signalbox checkpoints show 0199c2d4 --files'],
    children: [
      command({
        name: 'list',
        summary: 'Checkpoints of a session, newest first (the default)',
        args: [session],
        examples: ['signalbox checkpoints 1f0c3a7e', 'signalbox checkpoints 1f0c3a7e --json'],
        load: async () => (await checkpoints()).listCheckpoints,
      }),
      command({
        name: 'show',
        summary: 'Show one checkpoint, and its files with --files',
        args: [{ name: 'CHECKPOINT' }],
        flags: showFlags,
        examples: ['signalbox checkpoints show 0199c2d4', 'signalbox checkpoints show 0199c2d4 --files'],
        load: async () => (await checkpoints()).showCheckpoint,
      }),
    ],
  }),
  command({
    name: 'checkpoint',
    summary: "Make a checkpoint of a session's workspace",
    group,
    args: [session],
    flags: checkpointFlags,
    examples: ['signalbox checkpoint 1f0c3a7e', 'signalbox checkpoint 1f0c3a7e --label "before the refactoring"'],
    load: async () => (await checkpoints()).createCheckpoint,
  }),
  command({
    name: 'restore',
    summary: 'Restore a workspace to a checkpoint; lists what differs and asks first',
    group,
    more: [
      'The current state is kept as a new checkpoint, and the agent working there is ended. New files',
      'stay; --remove-new deletes those that the session itself created.',
    ].join('\n'),
    args: [{ name: 'CHECKPOINT' }],
    flags: restoreFlags,
    examples: ['signalbox restore 0199c2d4', 'signalbox restore 0199c2d4 --yes --remove-new'],
    load: async () => (await checkpoints()).restoreCheckpoint,
  }),
]
