/**
 * Every view and its address. The router is built from it, the server answers each with the shell, and the tests visit
 * each one. `$id` is a placeholder.
 */
export const paths = {
  inbox: '/',
  ask: '/asks/$id',
  alert: '/alerts/$id',
  history: '/history',
  sessions: '/sessions',
  newSession: '/sessions/new',
  session: '/sessions/$id',
  sessionFiles: '/sessions/$id/files',
  sessionChanges: '/sessions/$id/changes',
  sessionCheckpoints: '/sessions/$id/checkpoints',
  sessionAudit: '/sessions/$id/audit',
  sessionAbout: '/sessions/$id/about',
  terminals: '/terminals',
  newTerminal: '/terminals/new',
  terminal: '/terminals/$id',
  schedules: '/schedules',
  newSchedule: '/schedules/new',
  schedule: '/schedules/$id',
  webChats: '/chat',
  webChat: '/chat/$id',
  search: '/search',
  catchUp: '/catch-up',
  overview: '/overview',
  welcome: '/welcome',
  settings: '/settings',
  chats: '/settings/chats',
  chat: '/settings/chats/$id',
  chatInstances: '/settings/chats/instances',
  newChatInstance: '/settings/chats/instances/new',
  chatInstance: '/settings/chats/instances/$id',
  agentGroups: '/settings/chats/groups',
  agentGroup: '/settings/chats/groups/$id',
  strangers: '/settings/chats/strangers',
  notSent: '/settings/chats/not-sent',
  people: '/settings/people',
  person: '/settings/people/$id',
  signIn: '/settings/sign-in',
  tokens: '/settings/tokens',
  agents: '/settings/agents',
  agent: '/settings/agents/$id',
  mcpClients: '/settings/mcp-clients',
  workspaces: '/settings/workspaces',
  templates: '/settings/templates',
  policy: '/settings/policy',
  patterns: '/settings/patterns',
  notifications: '/settings/notifications',
  audit: '/settings/audit',
  system: '/settings/system',
  leaving: '/leaving',
} as const
export type ViewName = keyof typeof paths

/** The page shown before an agent's link is opened. The target is in the fragment, which is never sent to a server. */
export const leavingFor = (address: string): string => `${paths.leaving}#${encodeURIComponent(address)}`

export function leadsTo(fragment: string): string {
  try {
    return decodeURIComponent(fragment.replace(/^#/, ''))
  } catch {
    return ''
  }
}
