import { allowedMounts, containerHosts, containerLimits, engineAddress, imageName, providers } from './containers.ts'
import { agentName, agents, budget, isolation, localPorts, network, noAgents } from './agents.ts'
import type { Key } from './key.ts'
import { key, optional } from './key.ts'
import { commands, noCommands, workspaces } from './tables.ts'
import {
  absolutePath,
  channelId,
  databaseUrl,
  expression,
  host,
  ipcName,
  origin,
  proxy,
  pushSubject,
  token,
  userId,
} from './text-kinds.ts'
import { boolean, distinct, integer, list, number, oneOf, text } from './value.ts'

function knownZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const nudge = 'You have gone quiet: continue with your task, or say what you are waiting for.'

export const topLevel = {
  workspace_root: optional(absolutePath, '"/home/you/project"', 'Default workspace for MCP sessions.'),
  agent_workspace_root: optional(
    absolutePath,
    '"/home/you/repos"',
    'Directory whose Git repositories are offered as repos.',
  ),
  authorized_user_ids: key(
    distinct(userId),
    [],
    'People to add at the first start: slack:U…, tg:…, discord:…, phone:…, email:…, local:… (a bare U… means slack:U…).',
  ),
  max_concurrent_sessions: key(integer(1), 3, 'How many MCP sessions can be created, active or paused at once.'),
  default_agent: optional(
    agentName,
    '"claude"',
    'Default agent for new sessions. If not set: "host" if host_cli is set, else "practice".',
  ),
  host_cli: optional(
    text('program'),
    '"gemini"',
    'Program of the agent "host", which is then started when a session names no agent.',
  ),
  host_cli_args: key(list(text('argument')), [], 'Arguments for host_cli.'),
  http_port: key(integer(0, 65_535), 3000, 'Port of the HTTP server; 0 for any free one.'),
  ipc_name: key(ipcName, 'signalbox', 'Name of the local socket that the command line uses.'),
  commands: key(
    commands,
    noCommands,
    'Commands that can be run remotely, by alias. They run without a shell unless shell = true, and in the sandbox of a sandboxed session unless confined = false.',
    {
      example:
        'status = "git status --short"\nloc = { command = "git ls-files | wc -l", shell = true }\n' +
        'deploy = { command = "make deploy", confined = false }',
    },
  ),
  workspace: key(
    workspaces,
    [],
    'A named workspace with its Slack channel; several can share a channel. New sessions see changes without a restart.',
    {
      example: 'id = "shop"\nchannel_id = "C012ABCDEF"\npath = "/home/you/shop"\nlabel = "The shop"',
    },
  ),
  agents: key(agents, noAgents, 'An agent of your own, or changes to a built-in one.', {
    example: [
      'command = "my-agent"',
      'args = ["--acp", "--directory", "{workspace}"]',
      'env = { MY_AGENT_LOG = "warn" }',
      'pass_env = ["MY_AGENT_*"]',
      'open_paths = ["~/.my-agent"]',
      'read_paths = ["~/.cargo"]',
      'isolation = "sandbox"',
      'network = "own"',
      'local_ports = [11434]',
      'budget_usd = 5.0',
      'mcp_servers = [{ name = "docs", url = "https://mcp.example.org/", headers = { Authorization = "Bearer …" } }]',
    ].join('\n'),
  }),
}

export const sections = {
  slack: {
    app_token: optional(token('xapp-'), '"xapp-1-your-token"', 'App-level token for Socket Mode.', { secret: 'token' }),
    bot_token: optional(token('xoxb-'), '"xoxb-your-token"', 'Bot token.', { secret: 'token' }),
    channel_id: optional(channelId, '"C012ABCDEF"', 'Channel for sessions whose workspace has none.'),
  },
  timeouts: {
    approval_seconds: key(integer(1), 3600, 'How long an ask for approval stays open.'),
    prompt_seconds: key(integer(1), 1800, 'How long a continuation prompt stays open.'),
    wait_seconds: key(integer(0), 0, 'How long an agent waits for instructions; 0 means no limit.'),
    admin_ask_seconds: key(integer(1), 86_400, 'How long an ask for administrators stays open.'),
    admin_escalation_seconds: key(
      integer(0),
      3600,
      'How long the admins of an agent group have before global admins, and then owners, are asked too; 0 means never.',
    ),
    startup_grace_seconds: key(integer(0), 300, 'Nothing expires for this long after a start.'),
  },
  stall: {
    enabled: key(boolean, true, 'Watch sessions for silence.'),
    inactivity_threshold_seconds: key(
      integer(1),
      300,
      'How long an agent can be silent in a turn before an alert is raised.',
    ),
    escalation_threshold_seconds: key(
      integer(1),
      120,
      'Time from the alert to the first nudge, and from one nudge to the next.',
    ),
    max_retries: key(integer(0), 3, 'Nudges before the alert is escalated to people.'),
    default_nudge_message: key(text('text'), nudge, 'Text of a nudge.'),
  },
  mcp: {
    hold_seconds: key(
      integer(1, 3600),
      50,
      'How long a call without a progress token is held before the agent is told to call again.',
    ),
    lost_after_seconds: key(
      integer(1),
      900,
      'An MCP session that has been quiet for this long is interrupted; its client can come back.',
    ),
  },
  acp: {
    max_sessions: key(
      integer(1),
      5,
      'How many agents of ACP sessions can run at once. If all run, the one that has been idle longest is put to sleep.',
    ),
    idle_timeout_minutes: key(integer(1), 30, 'An ACP session idle for this long is completed; it can be continued.'),
    sleep_after_minutes: key(
      integer(0),
      0,
      'An ACP session idle for this long is put to sleep: its agent is ended, and a prompt wakes it. 0: only if a slot is needed.',
    ),
    restart_on_crash: key(
      boolean,
      false,
      'Restart an agent that crashed, with growing delays, also if a person started it. Agents of agent groups are always restarted.',
    ),
    startup_timeout_seconds: key(
      integer(1),
      30,
      'How long an agent can take to create its session. One that makes progress, that is prints to stderr or uses the CPU, gets up to four times as long.',
    ),
    isolation: key(
      isolation,
      'auto',
      'How agents are confined to their workspace; "auto" is a sandbox if bubblewrap works, else none. "container" needs Docker or Podman.',
    ),
    network: key(
      network,
      'auto',
      'Network of agents in a sandbox: "own" loopback, with a proxy to the outside; "none" without one; "host" shares this machine\'s; "auto" is "own" if possible, else "host".',
    ),
    local_ports: key(localPorts, [], 'Ports of this machine that agents with their own network can reach.'),
    own_tools: key(boolean, true, "Give agents Signalbox's own MCP server, with a token for their session."),
    budget_usd: optional(budget, '10.0', 'What a session can cost before it pauses and asks.'),
    on_stop: key(
      oneOf('keep', 'end'),
      'keep',
      'What happens to agents when a signal stops the server; kept ones keep running, and the next start reconnects.',
    ),
  },
  containers: {
    engine: optional(
      engineAddress,
      '"unix:///run/podman/podman.sock"',
      'Socket of the container engine, Docker or Podman. If not set, the usual places are tried, and podman is started if it is installed.',
    ),
    max: key(
      integer(1, 1000),
      4,
      'How many containers can run at once. Other sessions wait for one, first come, first served.',
    ),
    idle_stop_minutes: key(
      integer(0),
      10,
      'The container of a session idle for this long is stopped; a prompt starts it again. 0: as sleep_after_minutes under [acp].',
    ),
    image: optional(
      imageName,
      '"node:24-bookworm"',
      'Image of containers; it needs sh and node. If not set, an image is made from programs of this machine.',
    ),
    memory_mb: key(integer(64), containerLimits.memoryMb, 'Memory of a container, in MiB.'),
    cpus: key(number(0.1), containerLimits.cpus, 'CPUs of a container.'),
    pids: key(integer(16), containerLimits.pids, 'Maximum processes and threads of a container.'),
    disk_mb: key(
      integer(16),
      containerLimits.diskMb,
      "How much a container's workspace and home can grow, in MiB, before it is stopped.",
    ),
    allow_missing_limits: key(
      boolean,
      false,
      'Start a container even if the engine ignores a limit (rootless engines on cgroups v1 do).',
    ),
    hosts: key(
      containerHosts,
      [],
      'Hosts that containers can reach on port 443, by name; *.example.org matches every name below it.',
    ),
    providers: key(
      providers,
      [],
      'APIs that containers reach through a proxy that adds the key: { name, base_url, key, header }. The key is named, as env:NAME or file:/path, and never enters the container.',
    ),
    mounts: key(
      allowedMounts,
      [],
      'Directories that agent groups can have in their containers: { path, write }. Read-only unless write = true.',
    ),
  },
  budgets: {
    time_zone: optional(
      text('time zone', (value) =>
        knownZone(value) ? value : { wrong: 'must be a time zone', hint: 'write Europe/Berlin or UTC' },
      ),
      '"Europe/Berlin"',
      "Time zone whose days and months budgets are for. If not set: the server's.",
    ),
  },
  pull_requests: {
    github_hosts: key(
      distinct(host),
      [],
      'Hosts of GitHub Enterprise, where gh opens pull requests. github.com and github.* are known.',
    ),
    gitlab_hosts: key(
      distinct(host),
      [],
      'Hosts of GitLab, where glab opens merge requests. gitlab.com and gitlab.* are known.',
    ),
  },
  approvals: {
    admins_may_answer: key(boolean, false, 'Let admins answer asks of sessions they do not own.'),
    separate_requester: key(
      boolean,
      false,
      'The person whose message led to an ask for administrators may not answer it.',
    ),
    high_needs: key(integer(1, 10), 1, 'How many people must approve an ask of high risk.'),
    critical_needs: key(integer(1, 10), 1, 'How many people must approve an ask of critical risk.'),
    high_reviewers: key(
      distinct(userId),
      [],
      'People besides the owner who can answer high-risk asks and are notified of them: slack:U…, local:….',
    ),
    critical_reviewers: key(distinct(userId), [], 'The same for asks of critical risk.'),
  },
  http: {
    host: key(host, '127.0.0.1', 'Address to listen on; anything but loopback needs TLS or a trusted proxy.'),
    public_url: optional(
      origin,
      '"https://signalbox.example.org"',
      'Public address of the server, for links and Origin checks.',
    ),
    allowed_hosts: key(distinct(host), [], 'Further host names that requests can use.'),
    trusted_proxies: key(
      distinct(proxy),
      [],
      'Proxies whose X-Forwarded-* headers are trusted: IP addresses, networks or "loopback".',
    ),
    tls_cert: optional(text('path'), '"/etc/signalbox/cert.pem"', 'Certificate chain in PEM; needs tls_key.', {
      resolved: true,
    }),
    tls_key: optional(text('path'), '"/etc/signalbox/key.pem"', 'Private key in PEM; needs tls_cert.', {
      resolved: true,
    }),
    body_limit_bytes: key(integer(1024, 1_073_741_824), 16_777_216, 'Maximum size of a request body.'),
  },
  database: {
    url: optional(
      databaseUrl,
      '"postgres://signalbox:password@localhost:5432/signalbox"',
      'PostgreSQL database; without it, SQLite in the data directory.',
      { secret: 'password' },
    ),
    synchronous: key(
      oneOf('full', 'normal'),
      'full',
      'SQLite: "full" survives a power cut, "normal" can lose the last writes.',
    ),
    pool_size: key(integer(1, 1000), 10, 'PostgreSQL: maximum connections.'),
  },
  log: {
    level: key(oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'), 'info', 'Lowest level to log.'),
    format: key(oneOf('auto', 'json', 'pretty'), 'auto', 'Log format; "auto" is pretty on a terminal, else JSON.'),
  },
  chat: {
    key_store: key(
      oneOf('auto', 'file'),
      'auto',
      'Where the key for chat credentials is stored: in the system keychain if there is one, or in the file chat-key.',
    ),
  },
  terminal: {
    watch_roots: key(list(absolutePath), [], 'Directories whose logs agents can follow, besides their workspace.'),
    masks: key(list(expression), [], 'Regular expressions of secrets to mask in output, besides the built-in ones.'),
    ask: key(
      oneOf('questions', 'all', 'off'),
      'questions',
      'Which prompts become asks: questions, shell prompts too, or none.',
    ),
    ask_after_seconds: key(
      integer(0),
      10,
      'How long a prompt waits for a person at the keyboard before it becomes an ask.',
    ),
    recording_mb: key(integer(1), 512, 'How much output of one terminal is kept; the oldest is removed first.'),
    recording_days: key(integer(1, 365), 7, 'How long recordings are kept.'),
    history_days: key(integer(1, 365), 30, 'How long typed input is kept.'),
  },
  push: {
    enabled: key(boolean, true, 'Send notifications to browsers that subscribed.'),
    subject: optional(
      pushSubject,
      '"mailto:you@example.org"',
      'Contact address for push services. Default: http.public_url, if that is https.',
    ),
    allow_private_endpoints: key(
      boolean,
      false,
      'Send to endpoints on this machine and in private networks, also over http; for tests only.',
    ),
  },
  retention: {
    idempotency_hours: key(integer(1), 24, 'How long a repeated command is recognized.'),
    event_days: key(integer(0), 0, 'Age at which events can be removed; 0 keeps them forever.'),
  },
}

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S
type Valued<K> = {
  readonly [N in keyof K as N extends string ? Camel<N> : never]: K[N] extends Key<infer T> ? T : never
}
type Flagged<V> = { readonly [N in keyof V]?: V[N] | string | undefined }
type Sections = { readonly [S in keyof typeof sections]: Valued<(typeof sections)[S]> }

/** The effective configuration: keys in camelCase, every value present, frozen. */
export type Config = Valued<typeof topLevel> & Sections

/** Values from the command line; text is parsed like that of a variable. */
export type ConfigFlags = Flagged<Valued<typeof topLevel>> & {
  readonly [S in keyof Sections]?: Flagged<Sections[S]> | undefined
}

/** Every key by its dotted name, in the order of the file. */
export const allKeys: ReadonlyMap<string, Key<unknown>> = new Map<string, Key<unknown>>([
  ...Object.entries(topLevel),
  ...Object.entries(sections).flatMap(([section, keys]) =>
    Object.entries<Key<unknown>>(keys).map(([name, one]): [string, Key<unknown>] => [`${section}.${name}`, one]),
  ),
])

export const sectionNames: readonly string[] = Object.keys(sections)

/** `timeouts.approval_seconds` → its table and name; a key outside tables has the table ''. */
export function splitKey(dottedKey: string): readonly [section: string, name: string] {
  const dot = dottedKey.indexOf('.')
  return dot === -1 ? ['', dottedKey] : [dottedKey.slice(0, dot), dottedKey.slice(dot + 1)]
}
