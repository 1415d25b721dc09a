import type { Migration } from '../ddl.ts'

/** What the directory of a session was when the session began, so that another one in its place is not taken for it. */
export const workspaceMarks: Migration = {
  version: 12,
  name: 'workspace-marks',
  up: ({ text }) => [`alter table sessions add column workspace_mark ${text}`],
  down: () => ['alter table sessions drop column workspace_mark'],
}
