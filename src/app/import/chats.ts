import { UnknownSenderPolicy } from '../../domain/chat/schema.ts'
import type { MessagingGroupId, WiringId } from '../../domain/chat/id.ts'
import { freeLocalName } from '../../domain/chat/local-name.ts'
import { localName as LocalName } from '../../domain/chat/schema.ts'
import {
  connect,
  insertDestination,
  loadChat,
  loadChatAt,
  loadDestinations,
  wiringBetween,
} from '../../domain/chat/store.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import { idFor, placeOf, timeOr } from './convert.ts'
import { settingsOf } from './engage.ts'
import type { SeedRow } from './rows.ts'
import { missing, type Work } from './work.ts'

const channelWord = /^[a-z][a-z0-9_-]{0,39}$/

export async function importChats(work: Work): Promise<void> {
  const { seed, tally } = work
  for (const chat of seed.messaging_groups) await importChat(work, chat)
  for (const wiring of seed.messaging_group_agents) await importWiring(work, wiring)
  for (const destination of seed.agent_destinations) await importDestination(work, destination)
  for (const { user_id, channel_type, messaging_group_id, resolved_at } of seed.user_dms) {
    const [person, chat] = [work.people.get(user_id), work.chats.get(messaging_group_id)]
    const name = `${user_id} on ${channel_type}`
    if (!person) tally.leftOut('user_dms', name, missing('person', user_id))
    else if (!chat) tally.leftOut('user_dms', name, missing('chat', messaging_group_id))
    else {
      const added = await work.tx
        .insertInto('user_dms')
        .values({ user_id: person, channel_type, messaging_group_id: chat, resolved_at: timeOr(resolved_at, work.now) })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .execute()
      tally.imported('user_dms', added.length > 0)
    }
  }
}

async function importChat({ tx, tally, now, chats }: Work, row: SeedRow<'messaging_groups'>): Promise<void> {
  const { id: seedId, channel_type, name } = row
  if (!channelWord.test(channel_type)) return tally.leftOut('messaging_groups', seedId, 'invalid channel_type')
  const platform_id = placeOf(channel_type, row.platform_id).slice(0, 400)
  if (platform_id === '') return tally.leftOut('messaging_groups', seedId, 'invalid platform_id')
  const known = await loadChatAt(tx, { channelType: channel_type, platformId: platform_id })
  if (known?.removed) return tally.leftOut('messaging_groups', seedId, 'this chat was removed here')
  tally.imported('messaging_groups', !known)
  const id = known?.id ?? (await freeChatId(tx, seedId))
  chats.set(seedId, id)
  if (known) return
  const policy = UnknownSenderPolicy.safeParse(row.unknown_sender_policy)
  await tx
    .insertInto('messaging_groups')
    .values({
      id,
      channel_type,
      platform_id,
      name: name?.trim().slice(0, 200) || null,
      is_group: row.is_group ? 1 : 0,
      unknown_sender_policy: policy.success ? policy.data : 'strict',
      created_at: timeOr(row.created_at, now),
      instance_id: null,
      denied_at: row.denied_at === null ? null : timeOr(row.denied_at, now),
      removed_at: null,
    })
    .execute()
}

/** The usual id belongs to another place if the file's row was moved since the last import. */
async function freeChatId(tx: Work['tx'], seedId: string): Promise<MessagingGroupId> {
  const id = idFor<MessagingGroupId>('messaging_groups', seedId)
  return (await loadChat(tx, id)) ? idFor<MessagingGroupId>('messaging_groups', `${seedId} moved`) : id
}

async function importWiring(work: Work, row: SeedRow<'messaging_group_agents'>): Promise<void> {
  const { tx, seed, tally, now } = work
  const [chatId, agentGroupId] = [work.chats.get(row.messaging_group_id), work.groups.get(row.agent_group_id)]
  if (!chatId) return tally.leftOut('messaging_group_agents', row.id, missing('chat', row.messaging_group_id))
  if (!agentGroupId) return tally.leftOut('messaging_group_agents', row.id, missing('agent group', row.agent_group_id))
  const known = await wiringBetween(tx, chatId, agentGroupId)
  tally.imported('messaging_group_agents', !known)
  if (known) return
  const id = idFor<WiringId>('messaging_group_agents', row.id)
  work.newWirings.add(id)
  const { settings, changed } = settingsOf(row)
  if (changed !== null) tally.changed('messaging_group_agents', row.id, changed)
  const existing = await loadDestinations(tx, agentGroupId)
  const leads = existing.some(({ targetType, targetId }) => targetType === 'channel' && targetId === chatId)
  // The name it had; without one a wiring makes its own, as everywhere.
  const named = seed.agent_destinations.find(
    (one) =>
      one.target_type === 'channel' &&
      one.target_id === row.messaging_group_id &&
      one.agent_group_id === row.agent_group_id,
  )
  const chat = await loadChat(tx, chatId)
  const localName = leads
    ? null
    : nameFor(
        named?.local_name ?? null,
        [chat?.name ?? null, `${chat?.channelType}-${chat?.platformId}`],
        existing.map((one) => one.localName),
      )
  const { trigger_rules, response_scope } = row
  const imported = { trigger_rules, response_scope: response_scope ?? 'all' }
  const at = timeOr(row.created_at, now)
  await connect(tx, { id, chatId, agentGroupId, localName }, settings, at, imported)
}

function nameFor(wanted: string | null, otherwise: readonly (string | null)[], taken: readonly string[]): string {
  if (wanted !== null && !taken.includes(wanted) && LocalName.safeParse(wanted).success) return wanted
  return freeLocalName([wanted, ...otherwise], taken)
}

async function importDestination(work: Work, row: SeedRow<'agent_destinations'>): Promise<void> {
  const { tx, tally, now } = work
  const name = `${row.agent_group_id}: ${row.local_name}`
  const leave = (reason: string) => tally.leftOut('agent_destinations', name, reason)
  const agentGroupId = work.groups.get(row.agent_group_id)
  if (!agentGroupId) return leave(missing('agent group', row.agent_group_id))
  const target = targetOf(work, row)
  if (!target) return leave(`its target ${row.target_id} is not in the file, or was left out`)
  const existing = await loadDestinations(tx, agentGroupId)
  const there = existing.find(
    ({ targetType, targetId }) => targetType === target.targetType && targetId === target.targetId,
  )
  const isSame =
    there !== undefined && (there.localName === row.local_name || !LocalName.safeParse(row.local_name).success)
  if (isSame) {
    // Written together with its wiring, by this import or an earlier one.
    tally.imported('agent_destinations', there.wiringId !== null && work.newWirings.has(there.wiringId))
    if (there.localName !== row.local_name)
      tally.changed('agent_destinations', name, `its name is ${there.localName} here`)
    return
  }
  const localName = nameFor(
    row.local_name,
    [],
    existing.map((one) => one.localName),
  )
  const sameName = existing.find((one) => one.localName === row.local_name)
  if (sameName) return leave('the agent group has another destination of this name')
  if (localName !== row.local_name) tally.changed('agent_destinations', name, `its name is ${localName} here`)
  await insertDestination(tx, { agentGroupId, localName, ...target, wiringId: null }, timeOr(row.created_at, now))
  tally.imported('agent_destinations', true)
}

type Target = { targetType: 'channel' | 'agent'; targetId: MessagingGroupId | AgentGroupId }

function targetOf({ chats, groups }: Work, row: SeedRow<'agent_destinations'>): Target | null {
  const { target_type: type, target_id } = row
  if (type !== 'channel' && type !== 'agent') return null
  const targetId = type === 'channel' ? chats.get(target_id) : groups.get(target_id)
  return targetId ? { targetType: type, targetId } : null
}
