import type { ChatPort, CheckedCredentials, PlatformInfo } from '../../../app/chat/chat-port.ts'
import type { Command } from '../../../app/command.ts'
import { api } from '../../../client/contract.ts'
import type { ChatInstanceId } from '../../../domain/chat/id.ts'
import { newId } from '../../../lib/id.ts'
import { canonicalJson } from '../../../lib/json.ts'
import { fail, notFound, ok, type Failed } from '../../../lib/result.ts'
import { listed } from '../listed.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'
import { chatsOff } from './chats.ts'

type Credentials = Readonly<Record<string, string>>
type Settings = Parameters<ChatPort['check']>[2]

const unchecked: Omit<CheckedCredentials, 'self'> & { self: CheckedCredentials['self'] | null } = {
  self: null,
  warnings: [],
}

/** Accounts on chat platforms. Credentials come in here, and leave only encrypted. */
export function mountChatInstances(web: Web, deps: RouteDeps, chats: ChatPort | null): void {
  const { app } = deps
  const standingOf = (call: ApiCall) => call.caller.standing
  const shown = (call: ApiCall, id: string) => app.read.chatInstance(standingOf(call), id as ChatInstanceId)

  async function changed(command: Command, call: ApiCall) {
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? shown(call, done.value.subject) : done
  }

  /** Says why a command would be refused, before the platform is asked. */
  async function wouldRefuse(command: Command, { caller, once }: ApiCall): Promise<Failed | null> {
    const refused = await app.check(command, caller.actor, once)
    return refused === 'repeated' ? null : refused
  }

  /** Who we are with these credentials; refuses those that do not fit the platform. */
  async function verify(
    port: ChatPort,
    platform: string,
    { credentials, settings, check }: { credentials: Credentials; settings: Settings; check: boolean },
  ) {
    const info = await port.platform(platform, settings)
    if (!info) return notFound('platform', platform)
    const wrong = wrongFields(info, credentials)
    if (wrong) return wrong
    return check ? port.check(platform, credentials, settings) : ok(unchecked)
  }

  mount(web, deps, api.listChatPlatforms, async (_input, call) => {
    const allowed = await app.read.mayLookAtPlatforms(standingOf(call))
    if (!allowed.ok) return allowed
    if (!chats) return chatsOff
    return ok({
      platforms: (await chats.platforms()).map(({ name, title, delivery, steps, fields, manifest }) => ({
        name,
        title,
        delivery,
        hasManifest: manifest !== null,
        steps: [...steps],
        fields: [...fields],
      })),
    })
  })
  mount(web, deps, api.getChatManifest, async ({ params }, call) => {
    const allowed = await app.read.mayLookAtPlatforms(standingOf(call))
    if (!allowed.ok) return allowed
    if (!chats) return chatsOff
    const manifest = (await chats.platforms()).find(({ name }) => name === params.name)?.manifest
    return manifest === null || manifest === undefined ? notFound('manifest', params.name) : ok({ manifest })
  })

  mount(web, deps, api.listChatInstances, (_input, call) =>
    listed('instances', app.read.chatInstances(standingOf(call))),
  )
  mount(web, deps, api.getChatInstance, ({ params }, call) => shown(call, params.id))

  mount(web, deps, api.addChatInstance, async ({ body }, call) => {
    const { platform, name = platform, settings, credentials, check } = body
    const removed = await app.read.removedInstanceNamed(standingOf(call), name)
    if (!removed.ok) return removed
    const id = removed.value ?? newId<ChatInstanceId>()
    const about = { platform, name, settings, title: body.title ?? platform }
    const wanted = { type: 'instance.add' as const, id, ...about }
    const refused = await wouldRefuse({ ...wanted, credentials: '' }, call)
    if (refused) return refused
    if (!chats) return chatsOff
    const verified = await verify(chats, platform, { credentials, settings, check })
    if (!verified.ok) return verified
    const { self, warnings, workspaceId: workspace = null } = verified.value
    const title = body.title ?? self?.workspace ?? wanted.title
    const sealed = await chats.seal(credentials, id)
    if (!sealed.ok) return sealed
    const added = await changed({ ...wanted, title, workspace, credentials: sealed.value }, call)
    return added.ok ? ok({ instance: added.value, self, warnings: [...warnings] }) : added
  })

  mount(web, deps, api.updateChatInstance, async ({ params: { id }, body }, call) => {
    const { credentials, check, ...wanted } = body
    const command = { type: 'instance.update' as const, id, ...wanted }
    const refused = await wouldRefuse(command, call)
    if (refused) return refused
    const instance = await shown(call, id)
    if (!instance.ok) return instance
    if (credentials === undefined) {
      if (body.settings && leadsElsewhere(instance.value.settings, body.settings)) return credentialsNeeded
      const updated = await changed(command, call)
      return updated.ok ? ok({ instance: updated.value, self: null, warnings: [] }) : updated
    }
    if (!chats) return chatsOff
    const verified = await verify(chats, instance.value.platform, {
      credentials,
      settings: body.settings ?? instance.value.settings,
      check,
    })
    if (!verified.ok) return verified
    const { self, warnings, workspaceId: workspace = null } = verified.value
    const sealed = await chats.seal(credentials, id)
    if (!sealed.ok) return sealed
    const updated = await changed({ ...command, workspace, credentials: sealed.value }, call)
    return updated.ok ? ok({ instance: updated.value, self, warnings: [...warnings] }) : updated
  })

  mount(web, deps, api.startChatInstance, ({ params }, call) =>
    changed({ type: 'instance.start', id: params.id }, call),
  )
  mount(web, deps, api.stopChatInstance, ({ params }, call) => changed({ type: 'instance.stop', id: params.id }, call))

  mount(web, deps, api.checkChatInstance, async ({ params }, call) => {
    const allowed = await app.read.mayRunInstances(standingOf(call))
    if (!allowed.ok) return allowed
    const instance = await shown(call, params.id)
    if (!instance.ok) return instance
    if (!chats) return chatsOff
    const checked = await chats.checkInstance(params.id)
    if (!checked.ok) return checked
    const { self, warnings } = checked.value
    return ok({ instance: instance.value, self, warnings: [...warnings] })
  })

  mount(web, deps, api.removeChatInstance, async ({ params: { id } }, call) => {
    const done = await app.dispatch({ type: 'instance.remove', id }, call.caller.actor, call.once)
    return done.ok ? ok({ id, removed: true as const }) : done
  })
}

/** Who gets the credentials: an address, or the code of an adapter. */
const leadsElsewhere = (before: Settings, after: Settings): boolean =>
  ['api', 'package'].some((name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null))

const credentialsNeeded = fail({
  kind: 'invalid',
  code: 'credentials_needed',
  message: 'With another api or package, the credentials are needed again.',
  hint: 'Stored credentials are only sent to where they were entered for.',
})

/** Names fields, never values: a secret must not get into an answer. */
function wrongFields({ title, fields }: PlatformInfo, credentials: Credentials): Failed | null {
  const names = fields.map(({ name }) => name)
  const unknown = Object.keys(credentials).filter((name) => !names.includes(name))
  const missing = fields.filter(({ name, required }) => required && (credentials[name] ?? '').trim() === '')
  if (unknown.length === 0 && missing.length === 0) return null
  const [first] = missing
  return fail({
    kind: 'invalid',
    code: 'credentials_do_not_fit',
    message: first
      ? `${title} needs ${missing.map(({ label }) => label).join(', ')}.`
      : `${title} has no credential named ${unknown.join(', ')}.`,
    hint: first ? first.hint : `It takes ${names.join(', ')}.`,
    details: { missing: missing.map(({ name }) => name), unknown },
  })
}
