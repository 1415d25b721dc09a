/** What the app needs in a workspace. `check` compares the token with it, and the manifest asks for it. */
export const botScopes = [
  'app_mentions:read',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'metadata.message:read',
  'mpim:history',
  'mpim:read',
  'reactions:read',
  'reactions:write',
  'users:read',
] as const

export const appScopes = ['connections:write'] as const

export const slashCommand = '/signalbox'

const botEvents = [
  'app_mention',
  'channel_left',
  'group_left',
  'member_joined_channel',
  'member_left_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
] as const

/**
 * The manifest that people paste at api.slack.com/apps, "From a manifest", JSON. With `requestUrl`, Slack sends events
 * there by HTTP; without, the app uses Socket Mode and needs no public address.
 */
export function slackManifest({
  name = 'Signalbox',
  requestUrl = null,
}: {
  name?: string
  requestUrl?: string | null
}) {
  const url = requestUrl === null ? {} : { url: requestUrl }
  const request = requestUrl === null ? {} : { request_url: requestUrl }
  const manifest = {
    display_information: {
      name: name.slice(0, 35),
      description: 'Start, watch, steer and answer AI agents',
      background_color: '#1f2937',
    },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name.slice(0, 80), always_online: true },
      slash_commands: [
        {
          command: slashCommand,
          ...url,
          description: 'Start and steer agents',
          usage_hint: 'help',
          should_escape: true,
        },
      ],
    },
    oauth_config: { scopes: { bot: botScopes } },
    settings: {
      event_subscriptions: { ...request, bot_events: botEvents },
      interactivity: { is_enabled: true, ...request },
      org_deploy_enabled: false,
      socket_mode_enabled: requestUrl === null,
      token_rotation_enabled: false,
    },
  }
  return JSON.stringify(manifest, null, 2)
}
