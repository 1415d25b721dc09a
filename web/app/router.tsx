import { createRootRoute, createRoute, createRouter, type RouteComponent } from '@tanstack/react-router'
import { Loading } from '../ui/states.tsx'
import { CrashedView, NotFoundView } from './fallbacks.tsx'
import { lazyView } from './lazy-view.ts'
import { paths, type ViewName } from './paths.ts'
import { Shell } from './shell.tsx'

/** Several addresses that share one view: navigating between them does not remount it. */
const shared = {
  inbox: {
    view: lazyView(() => import('../views/inbox/inbox-view.tsx'), 'InboxView'),
    names: ['inbox', 'ask', 'alert'],
  },
  session: {
    view: lazyView(() => import('../views/session/session-view.tsx'), 'SessionView'),
    names: ['session', 'sessionFiles', 'sessionChanges', 'sessionCheckpoints', 'sessionAudit', 'sessionAbout'],
  },
  webChat: {
    view: lazyView(() => import('../views/chat/web-chat-view.tsx'), 'WebChatView'),
    names: ['webChats', 'webChat'],
  },
} as const satisfies Record<string, { view: RouteComponent; names: readonly ViewName[] }>
type SharedName = (typeof shared)[keyof typeof shared]['names'][number]

/** Each view is a separate chunk, loaded on first use. */
const views: Readonly<Record<Exclude<ViewName, SharedName>, RouteComponent>> = {
  history: lazyView(() => import('../views/history/history-view.tsx'), 'HistoryView'),
  sessions: lazyView(() => import('../views/sessions/sessions-view.tsx'), 'SessionsView'),
  newSession: lazyView(() => import('../views/sessions/new-session-view.tsx'), 'NewSessionView'),
  terminals: lazyView(() => import('../views/terminals/terminals-view.tsx'), 'TerminalsView'),
  newTerminal: lazyView(() => import('../views/terminals/new-terminal-view.tsx'), 'NewTerminalView'),
  terminal: lazyView(() => import('../views/terminals/terminal-view.tsx'), 'TerminalView'),
  schedules: lazyView(() => import('../views/schedules/schedules-view.tsx'), 'SchedulesView'),
  newSchedule: lazyView(() => import('../views/schedules/new-schedule-view.tsx'), 'NewScheduleView'),
  schedule: lazyView(() => import('../views/schedules/schedule-view.tsx'), 'ScheduleView'),
  search: lazyView(() => import('../views/search/search-view.tsx'), 'SearchView'),
  catchUp: lazyView(() => import('../views/search/catch-up-view.tsx'), 'CatchUpView'),
  overview: lazyView(() => import('../views/overview/overview-view.tsx'), 'OverviewView'),
  welcome: lazyView(() => import('../views/welcome/welcome-view.tsx'), 'WelcomeView'),
  settings: lazyView(() => import('../views/settings/settings-view.tsx'), 'SettingsView'),
  chats: lazyView(() => import('../views/chats/chats-view.tsx'), 'ChatsView'),
  chat: lazyView(() => import('../views/chats/chat-view.tsx'), 'ChatView'),
  chatInstances: lazyView(() => import('../views/chats/instances-view.tsx'), 'InstancesView'),
  newChatInstance: lazyView(() => import('../views/chats/new-instance-view.tsx'), 'NewInstanceView'),
  chatInstance: lazyView(() => import('../views/chats/instance-view.tsx'), 'InstanceView'),
  agentGroups: lazyView(() => import('../views/chats/groups-view.tsx'), 'GroupsView'),
  agentGroup: lazyView(() => import('../views/chats/group-view.tsx'), 'GroupView'),
  strangers: lazyView(() => import('../views/chats/strangers-view.tsx'), 'StrangersView'),
  notSent: lazyView(() => import('../views/chats/not-sent-view.tsx'), 'NotSentView'),
  people: lazyView(() => import('../views/settings/people-view.tsx'), 'PeopleView'),
  person: lazyView(() => import('../views/settings/person-view.tsx'), 'PersonView'),
  signIn: lazyView(() => import('../views/settings/sign-in/sign-in-view.tsx'), 'SignInView'),
  tokens: lazyView(() => import('../views/settings/tokens-view.tsx'), 'TokensView'),
  agents: lazyView(() => import('../views/settings/agents/agents-view.tsx'), 'AgentsView'),
  agent: lazyView(() => import('../views/settings/agents/agent-view.tsx'), 'AgentView'),
  mcpClients: lazyView(() => import('../views/settings/agents/mcp-clients-view.tsx'), 'McpClientsView'),
  workspaces: lazyView(() => import('../views/settings/workspaces-view.tsx'), 'WorkspacesView'),
  templates: lazyView(() => import('../views/templates/templates-view.tsx'), 'TemplatesView'),
  policy: lazyView(() => import('../views/settings/policy/policy-view.tsx'), 'PolicyView'),
  patterns: lazyView(() => import('../views/settings/patterns-view.tsx'), 'PatternsView'),
  notifications: lazyView(() => import('../views/settings/notifications-view.tsx'), 'NotificationsView'),
  audit: lazyView(() => import('../views/settings/audit-view.tsx'), 'AuditView'),
  leaving: lazyView(() => import('../views/leaving/leaving-view.tsx'), 'LeavingView'),
  system: lazyView(() => import('../views/settings/system-view.tsx'), 'SystemView'),
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundView, errorComponent: CrashedView })

const single = (Object.keys(views) as (keyof typeof views)[]).map((name) =>
  createRoute({ getParentRoute: () => root, path: paths[name], component: views[name], errorComponent: CrashedView }),
)

const together = Object.entries(shared).map(([id, { view, names }]) => {
  const parent = createRoute({ getParentRoute: () => root, id, component: view, errorComponent: CrashedView })
  return parent.addChildren(names.map((name) => createRoute({ getParentRoute: () => parent, path: paths[name] })))
})

export const router = createRouter({
  routeTree: root.addChildren([...single, ...together]),
  defaultPendingComponent: Loading,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
})
