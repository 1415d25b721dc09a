import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { Loading } from '../ui/states.tsx'
import { CrashedView, NotFoundView } from './fallbacks.tsx'
import { paths, type ViewName } from './paths.ts'
import { Shell } from './shell.tsx'

/** Several addresses that share one view: navigating between them does not remount it. */
const shared = {
  inbox: {
    view: lazyRouteComponent(() => import('../views/inbox/inbox-view.tsx'), 'InboxView'),
    names: ['inbox', 'ask', 'alert'],
  },
  session: {
    view: lazyRouteComponent(() => import('../views/session/session-view.tsx'), 'SessionView'),
    names: ['session', 'sessionFiles', 'sessionCheckpoints', 'sessionAudit', 'sessionAbout'],
  },
  webChat: {
    view: lazyRouteComponent(() => import('../views/chat/web-chat-view.tsx'), 'WebChatView'),
    names: ['webChats', 'webChat'],
  },
} as const satisfies Record<string, { view: RouteComponent; names: readonly ViewName[] }>
type SharedName = (typeof shared)[keyof typeof shared]['names'][number]

/** Each view is a separate chunk, loaded on first use. */
const views: Readonly<Record<Exclude<ViewName, SharedName>, RouteComponent>> = {
  sessions: lazyRouteComponent(() => import('../views/sessions/sessions-view.tsx'), 'SessionsView'),
  newSession: lazyRouteComponent(() => import('../views/sessions/new-session-view.tsx'), 'NewSessionView'),
  terminals: lazyRouteComponent(() => import('../views/terminals/terminals-view.tsx'), 'TerminalsView'),
  newTerminal: lazyRouteComponent(() => import('../views/terminals/new-terminal-view.tsx'), 'NewTerminalView'),
  terminal: lazyRouteComponent(() => import('../views/terminals/terminal-view.tsx'), 'TerminalView'),
  schedules: lazyRouteComponent(() => import('../views/schedules/schedules-view.tsx'), 'SchedulesView'),
  newSchedule: lazyRouteComponent(() => import('../views/schedules/new-schedule-view.tsx'), 'NewScheduleView'),
  schedule: lazyRouteComponent(() => import('../views/schedules/schedule-view.tsx'), 'ScheduleView'),
  search: lazyRouteComponent(() => import('../views/search/search-view.tsx'), 'SearchView'),
  catchUp: lazyRouteComponent(() => import('../views/search/catch-up-view.tsx'), 'CatchUpView'),
  welcome: lazyRouteComponent(() => import('../views/welcome/welcome-view.tsx'), 'WelcomeView'),
  settings: lazyRouteComponent(() => import('../views/settings/settings-view.tsx'), 'SettingsView'),
  chats: lazyRouteComponent(() => import('../views/chats/chats-view.tsx'), 'ChatsView'),
  chat: lazyRouteComponent(() => import('../views/chats/chat-view.tsx'), 'ChatView'),
  chatInstances: lazyRouteComponent(() => import('../views/chats/instances-view.tsx'), 'InstancesView'),
  newChatInstance: lazyRouteComponent(() => import('../views/chats/new-instance-view.tsx'), 'NewInstanceView'),
  chatInstance: lazyRouteComponent(() => import('../views/chats/instance-view.tsx'), 'InstanceView'),
  agentGroups: lazyRouteComponent(() => import('../views/chats/groups-view.tsx'), 'GroupsView'),
  agentGroup: lazyRouteComponent(() => import('../views/chats/group-view.tsx'), 'GroupView'),
  strangers: lazyRouteComponent(() => import('../views/chats/strangers-view.tsx'), 'StrangersView'),
  notSent: lazyRouteComponent(() => import('../views/chats/not-sent-view.tsx'), 'NotSentView'),
  people: lazyRouteComponent(() => import('../views/settings/people-view.tsx'), 'PeopleView'),
  person: lazyRouteComponent(() => import('../views/settings/person-view.tsx'), 'PersonView'),
  tokens: lazyRouteComponent(() => import('../views/settings/tokens-view.tsx'), 'TokensView'),
  agents: lazyRouteComponent(() => import('../views/settings/agents-view.tsx'), 'AgentsView'),
  workspaces: lazyRouteComponent(() => import('../views/settings/workspaces-view.tsx'), 'WorkspacesView'),
  policy: lazyRouteComponent(() => import('../views/settings/policy-view.tsx'), 'PolicyView'),
  patterns: lazyRouteComponent(() => import('../views/settings/patterns-view.tsx'), 'PatternsView'),
  notifications: lazyRouteComponent(() => import('../views/settings/notifications-view.tsx'), 'NotificationsView'),
  audit: lazyRouteComponent(() => import('../views/settings/audit-view.tsx'), 'AuditView'),
  leaving: lazyRouteComponent(() => import('../views/leaving/leaving-view.tsx'), 'LeavingView'),
  system: lazyRouteComponent(() => import('../views/settings/system-view.tsx'), 'SystemView'),
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
