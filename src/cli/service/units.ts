import { join } from 'node:path'

/** What a service starts, and for whom. */
export type ServiceSpec = {
  /** Words of the command, absolute program first. */
  readonly command: readonly string[]
  readonly dataDir: string
  readonly config: string | undefined
  /** PATH of the person who installs it: agents are found there. */
  readonly path: string
  /** The account of a service of the whole machine. */
  readonly user: string | null
}

export const unitName = 'signalbox.service'
export const label = 'signalbox'

/** A unit of systemd. The keeper is in its control group and must survive a restart, with the agents it holds. */
export function systemdUnit({ command, dataDir, config, path, user }: ServiceSpec): string {
  return `[Unit]
Description=Signalbox
After=network.target

[Service]
Type=exec
ExecStart=${[...command, 'serve'].map(systemdWord).join(' ')}
Environment=${systemdWord(`SIGNALBOX_HOME=${dataDir}`)}
${config === undefined ? '' : `Environment=${systemdWord(`SIGNALBOX_CONFIG=${config}`)}\n`}Environment=${systemdWord(`PATH=${path}`)}
${user === null ? '' : `User=${user}\n`}Restart=on-failure
RestartSec=1
# A stop or restart ends the server alone: agents and terminals keep running in the keeper.
KillMode=process
TimeoutStopSec=30

[Install]
WantedBy=${user === null ? 'default.target' : 'multi-user.target'}
`
}

/** In systemd, quotes group, backslashes escape, and % and $ begin specifiers and variables. */
function systemdWord(word: string): string {
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll('$', () => '$$')
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped}"`
}

/** An agent of launchd, for one person. */
export function launchdPlist({ command, dataDir, config, path }: ServiceSpec): string {
  const variables = { SIGNALBOX_HOME: dataDir, PATH: path, ...(config !== undefined && { SIGNALBOX_CONFIG: config }) }
  const log = join(dataDir, 'run', 'server.log')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${[...command, 'serve'].map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(variables)
  .map(([name, value]) => `    <key>${name}</key><string>${xml(value)}</string>`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <!-- A stop or restart ends the server alone: agents and terminals keep running in the keeper. -->
  <key>AbandonProcessGroup</key><true/>
  <key>StandardOutPath</key><string>${xml(log)}</string>
  <key>StandardErrorPath</key><string>${xml(log)}</string>
</dict>
</plist>
`
}

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
