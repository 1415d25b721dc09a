import { command, family, on, text } from '../command.ts'

export const commitFlags = { message: text('TEXT', 'The message; default: the proposed one') }
export const mergeFlags = {
  rebase: on('Put its commits on top of the branch, without a merge commit'),
  into: text('BRANCH', 'Another branch than the one it came from'),
}
export const pullRequestFlags = {
  title: text('TEXT', 'The title; default: the proposed one'),
  body: text('TEXT', 'The description; default: the proposed one'),
  'body-file': text('FILE', 'Read the description from this file; - for standard input'),
  into: text('BRANCH', 'The branch to merge into; default: the one it came from'),
  remote: text('NAME', 'The remote to push to; default: the one of the branch, else origin'),
  draft: on('Open it as a draft'),
  yes: on('Push and open it without asking'),
}
export const worktreeFlags = { yes: on('Remove it even if work is lost') }

const group = 'Watch and steer the work'
const session = [{ name: 'SESSION' }] as const
const changes = () => import('../commands/changes.ts')

const pullRequest = (name: string, summary: string) =>
  command({
    name,
    summary,
    group,
    more: [
      'It shows what it will run and asks first. gh (GitHub) or glab (GitLab) of the server does it, with its sign-in,',
      'so it needs the machine right. If the branch has a pull request already, its link is shown, and new commits are pushed.',
    ].join('\n'),
    args: session,
    flags: pullRequestFlags,
    examples: [
      `signalbox ${name} 1f0c3a7e`,
      `signalbox ${name} 1f0c3a7e --title "Add the checkout page" --draft`,
      `signalbox ${name} 1f0c3a7e --yes --json`,
    ],
    load: async () => (await import('../commands/pull-request.ts')).pullRequest,
  })

export const changeCommands = [
  command({
    name: 'diff',
    summary: 'The whole change of a session: commits, uncommitted changes and new files',
    group,
    args: session,
    examples: ['signalbox diff 1f0c3a7e', 'signalbox diff 1f0c3a7e --json'],
    load: async () => (await changes()).showChange,
  }),
  command({
    name: 'commit',
    summary: "Commit the files of a session's workspace",
    group,
    more: 'All files that are not ignored are committed. No hook runs, and nothing is signed.',
    args: session,
    flags: commitFlags,
    examples: ['signalbox commit 1f0c3a7e', 'signalbox commit 1f0c3a7e --message "Add the checkout page"'],
    load: async () => (await changes()).commitChange,
  }),
  command({
    name: 'merge',
    summary: "Merge a session's worktree into the branch it came from",
    group,
    more: 'If there is a conflict it is shown, and nothing is changed.',
    args: session,
    flags: mergeFlags,
    examples: ['signalbox merge 1f0c3a7e', 'signalbox merge 1f0c3a7e --rebase', 'signalbox merge 1f0c3a7e --into next'],
    load: async () => (await changes()).mergeChange,
  }),
  pullRequest('pull-request', 'Open a pull request for the change of a session'),
  pullRequest('pr', 'Short for pull-request'),
  family({
    name: 'worktrees',
    summary: 'List the worktrees of sessions; remove one',
    group,
    alone: 'list',
    examples: ['signalbox worktrees', 'signalbox worktrees remove 1f0c3a7e'],
    children: [
      command({
        name: 'list',
        summary: 'Worktrees with their branches, newest first (the default)',
        examples: ['signalbox worktrees', 'signalbox worktrees --json'],
        load: async () => (await changes()).listWorktrees,
      }),
      command({
        name: 'remove',
        summary: 'Remove the worktree of a session; lists what would be lost and asks first',
        args: session,
        flags: worktreeFlags,
        more: 'A branch whose commits are on no other branch is kept.',
        examples: ['signalbox worktrees remove 1f0c3a7e', 'signalbox worktrees remove 1f0c3a7e --yes'],
        load: async () => (await changes()).removeWorktree,
      }),
    ],
  }),
]
