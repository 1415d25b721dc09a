import type { Platform } from '../adapter.ts'
import { checkSlack, slackFields } from './check.ts'
import { connectSlack } from './connect.ts'
import { slackRoute } from './http-events.ts'
import { slackManifest } from './manifest.ts'
import { mostButtons, mostText, renderSlack } from './render.ts'

export const slack: Platform = {
  name: 'slack',
  title: 'Slack',
  idPrefix: 'slack',
  ids: 'local',
  // Every message carries its key, and the history shows it.
  delivery: 'once',
  oneAtATimePer: 'thread',
  opensThreads: true,
  limits: { text: mostText, buttons: mostButtons, fileBytes: 100_000_000 },
  steps: [
    'Open https://api.slack.com/apps, choose Create New App, then From a manifest, and paste the manifest.',
    'Under Install App, install it to your workspace.',
    'Under Basic Information, create an app-level token with the scope connections:write.',
  ],
  fields: slackFields,
  manifest: slackManifest({}),
  defaultEndpoints: { api: 'https://slack.com/api/' },
  check: checkSlack,
  connect: connectSlack,
  render: renderSlack,
  routes: [slackRoute],
}
