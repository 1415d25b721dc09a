import { randomUUID } from 'node:crypto'
import type { SlackView, Trigger } from './slack-api.ts'
import { appId, botUser, slackId, teamId, type SlackFile, type Workspace } from './slack-workspace.ts'

type Delivered = { acked: Promise<number>; id: string }
type Deps = {
  workspace: Workspace
  origin(): string
  deliver(type: 'events_api' | 'interactive' | 'slash_commands', payload: Record<string, unknown>): Delivered
  event(inner: Record<string, unknown>): Record<string, unknown>
  triggers: Map<string, Trigger>
  views: SlackView[]
}
type Button = { action_id: string; value?: string }

/** People of the workspace, who write, press buttons, fill in forms and use commands. */
export function createSlackPeople({ workspace, origin, deliver, event, triggers, views }: Deps) {
  function trigger(user: string, inThread: boolean): string {
    const id = `1.2.${randomUUID()}`
    triggers.set(id, { user, inThread, at: Date.now(), used: false })
    return id
  }
  const team = { id: teamId, domain: 'emulated' }
  const responseUrl = () => `${origin()}/respond/${randomUUID()}`

  function person(name: string) {
    const { id } = workspace.addPerson(name)
    const asUser = { id, username: name, name, team_id: teamId }

    function channelOf(channel: string) {
      const found = workspace.channels.get(channel)
      if (!found) throw new Error(`no channel ${channel}`)
      found.members.add(id)
      return found
    }

    /** Exists in the workspace, and comes as `message`; with a mention of the bot also as `app_mention`. */
    function writes(channel: string, text: string, more: { thread?: string; files?: Record<string, string> } = {}) {
      const found = channelOf(channel)
      const files = Object.entries(more.files ?? {}).map(([file, content]) => upload(file, Buffer.from(content)))
      const message = workspace.add(found, {
        type: 'message',
        ts: workspace.nextTs(),
        user: id,
        text,
        ...(more.thread !== undefined && { thread_ts: more.thread }),
        ...(files.length > 0 && { files, subtype: 'file_share' }),
      })
      const inner = {
        ...message,
        client_msg_id: randomUUID(),
        team: teamId,
        channel,
        channel_type: found.kind,
        event_ts: message.ts,
      }
      const sent = [deliver('events_api', event(inner))]
      if (text.includes(`<@${botUser}>`)) {
        const { channel_type: _type, subtype: _subtype, ...mention } = { ...inner, subtype: undefined }
        sent.push(deliver('events_api', event({ ...mention, type: 'app_mention' })))
      }
      return { ts: message.ts, acked: Promise.all(sent.map(({ acked }) => acked)) }
    }

    function upload(file: string, bytes: Buffer): SlackFile {
      const fileId = slackId('F')
      const url = `${origin()}/files/${fileId}`
      const made = { id: fileId, name: file, title: file, mimetype: 'text/plain', size: bytes.length }
      const stored = { ...made, mode: 'hosted', url_private_download: url }
      workspace.files.set(fileId, { file: stored, bytes, complete: true, owner: id })
      return stored
    }

    return {
      id,
      name,
      writes,
      /** Presses a button of a message that is really there. */
      clicks(channel: string, ts: string, action: string) {
        const message = workspace.message(channel, ts)
        const buttons = (message?.blocks ?? []).flatMap((block) =>
          block.type === 'actions' ? (block['elements'] as Button[]).map((button) => ({ block, button })) : [],
        )
        const hit = buttons.find(({ button }) => button.value === action || button.action_id === action)
        if (!message || !hit) throw new Error(`no button ${action} in ${JSON.stringify(message?.blocks)}`)
        const isReply = message.thread_ts !== undefined && message.thread_ts !== ts
        return deliver('interactive', {
          type: 'block_actions',
          user: asUser,
          api_app_id: appId,
          token: 'legacy',
          container: {
            type: 'message',
            message_ts: ts,
            channel_id: channel,
            is_ephemeral: false,
            ...(message.thread_ts !== undefined && { thread_ts: message.thread_ts }),
          },
          trigger_id: trigger(id, isReply),
          team,
          enterprise: null,
          is_enterprise_install: false,
          channel: { id: channel, name: workspace.channels.get(channel)?.name },
          message,
          state: { values: {} },
          response_url: responseUrl(),
          actions: [{ ...hit.button, type: 'button', block_id: hit.block.block_id, action_ts: workspace.nextTs() }],
        })
      },
      /** Presses a button of a message that only this person sees; Slack keeps no such messages. */
      picks({ channel, thread_ts: thread }: { channel: string; thread_ts?: string }, action: string) {
        return deliver('interactive', {
          type: 'block_actions',
          user: asUser,
          api_app_id: appId,
          token: 'legacy',
          container: {
            type: 'message',
            message_ts: workspace.nextTs(),
            channel_id: channel,
            is_ephemeral: true,
            ...(thread !== undefined && { thread_ts: thread }),
          },
          trigger_id: trigger(id, false),
          team,
          channel: { id: channel, name: workspace.channels.get(channel)?.name },
          state: { values: {} },
          response_url: responseUrl(),
          actions: [{ type: 'button', action_id: action, value: action, action_ts: workspace.nextTs() }],
        })
      },
      commands(channel: string, text: string, command = '/signalbox') {
        return deliver('slash_commands', {
          token: 'legacy',
          team_id: teamId,
          team_domain: team.domain,
          channel_id: channel,
          channel_name: workspace.channels.get(channel)?.name ?? 'directmessage',
          user_id: id,
          user_name: name,
          command,
          text,
          api_app_id: appId,
          is_enterprise_install: 'false',
          response_url: responseUrl(),
          trigger_id: trigger(id, false),
        })
      },
      /** Fills in the only field of a form that is open, and submits it. */
      submits(viewId: string, value: string) {
        const open = views.find((one) => one.id === viewId && one.by === id && one.shown)
        if (!open) throw new Error(`${name} sees no form ${viewId}`)
        const input = (open.view['blocks'] as { block_id: string; element: { action_id: string } }[])[0]!
        const entered = { [input.element.action_id]: { type: 'plain_text_input', value } }
        return deliver('interactive', {
          type: 'view_submission',
          team,
          user: asUser,
          api_app_id: appId,
          token: 'legacy',
          trigger_id: trigger(id, false),
          view: { ...open.view, id: viewId, hash: '1.abc', state: { values: { [input.block_id]: entered } } },
          response_urls: [],
          is_enterprise_install: false,
          enterprise: null,
        })
      },
      edits(channel: string, ts: string, text: string) {
        const message = workspace.message(channel, ts)!
        const previous = { ...message }
        Object.assign(message, { text, edited: { user: id, ts: workspace.nextTs() } })
        const inner = { type: 'message', subtype: 'message_changed', channel, channel_type: channelOf(channel).kind }
        return deliver(
          'events_api',
          event({ ...inner, ts: workspace.nextTs(), message: { ...message }, previous_message: previous }),
        )
      },
      /** The direct channel between this person and the bot. */
      direct: (): string => (workspace.direct(id) ?? workspace.addChannel(name, 'im', [id, botUser])).id,
    }
  }
  return { person }
}
