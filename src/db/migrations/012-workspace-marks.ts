import type { Migration } from '../ddl.ts'

/** Identifies a session's directory as of its start, so that a replacement is not mistaken for it. */
export const workspaceMarks: Migration = {
  version: 12,
  name: 'workspace-marks',
  up: ({ text }) => [`alter table sessions add column workspace_mark ${text}`],
  down: () => ['alter table sessions drop column workspace_mark'],
}
