import { expect, it } from 'vitest'
import { botScopes, slackManifest } from '../../../src/edges/chat/slack/manifest.ts'
import '../../support/chats/loopback-guard.ts'
import { allScopes } from '../../support/chats/slack.ts'

it('asks for Socket Mode, or for the address it is given, and for every scope that is checked', () => {
  const socket = JSON.parse(slackManifest({}))
  expect(socket.settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } })
  expect(socket.oauth_config.scopes.bot).toEqual(botScopes)
  expect([...botScopes].toSorted()).toEqual(allScopes.toSorted())
  expect(JSON.stringify(socket)).not.toContain('request_url')

  const url = 'https://signalbox.example.org/chat/1/events'
  const http = JSON.parse(slackManifest({ name: 'x'.repeat(200), requestUrl: url }))
  expect(http.settings).toMatchObject({
    socket_mode_enabled: false,
    event_subscriptions: { request_url: url },
    interactivity: { request_url: url },
  })
  expect(http.features.slash_commands).toMatchObject([{ command: '/signalbox', url }])
  // Slack's limits.
  expect(http.display_information.name.length).toBeLessThanOrEqual(35)
  expect(http.features.bot_user.display_name.length).toBeLessThanOrEqual(80)
})
