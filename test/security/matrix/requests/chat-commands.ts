import { randomUUID } from 'node:crypto'
import type { Prepare, Prepared } from '../spec.ts'
import {
  anotherGroup,
  codeFromChat,
  credential,
  credentials,
  destination,
  instance,
  lonelyChat,
  strangerOfGroup,
  theGroup,
  wiredChat,
} from './chats.ts'
import type { CommandSpec } from './commands.ts'
import { somebody } from './people.ts'

type Words = CommandSpec['words']

const id = (subject: Prepared): string[] => [subject.id]
const also =
  (...more: string[]) =>
  (subject: Prepared): string[] => [subject.id, ...more]
const none = () => []
const look = (on: Prepare, words: Words = id): CommandSpec => ({ on, words })
const change = (on: Prepare, words: Words = id): CommandSpec => ({ on, fresh: true, words })
const member: Prepare = async (setup) => {
  const person = await somebody()(setup)
  await setup.owner.put(`/api/agent-groups/${setup.group}/members/${person.id}`)
  return person
}

/** Commands about chats, by their title. */
export const chatCommandSpecs: Readonly<Record<string, CommandSpec>> = {
  chat: look(instance, none),
  'chat list': look(instance, none),
  'chat platforms': {},
  'chat manifest': { words: () => ['slack'] },
  'chat add': {
    fresh: true,
    words: () => ['slack', '--name', `n${randomUUID()}`, '--credentials', '-', '--no-check', '--no-wait'],
    stdin: () => JSON.stringify(credentials),
  },
  'chat show': look(instance),
  'chat update': change(instance, also('--title', 'Another')),
  'chat check': change(instance),
  'chat start': change(instance),
  'chat stop': change(instance),
  'chat test': change(wiredChat),
  'chat remove': change(instance),
  chats: look(wiredChat, none),
  'chats list': look(wiredChat, none),
  'chats show': look(wiredChat),
  'chats add': { fresh: true, words: () => [`C${randomUUID()}`, '--platform', 'slack'] },
  'chats update': change(wiredChat, also('--unknown', 'public')),
  'chats wire': change(lonelyChat, (subject, { group }) => [subject.id, group]),
  'chats wire ~ once more': change(wiredChat, (subject, { group }) => [subject.id, group, '--verbosity', 'verbose']),
  'chats unwire': change(wiredChat, (subject, { group }) => [subject.id, group]),
  'chats deny': change(wiredChat),
  'chats remove': change(wiredChat),
  groups: look(theGroup, none),
  'groups list': look(theGroup, none),
  'groups create': { fresh: true, words: () => [`New ${randomUUID()}`] },
  'groups show': look(theGroup),
  'groups update': change(theGroup, also('--model', 'another')),
  'groups config': look(theGroup),
  'groups config ~ change it': change(theGroup, also('--model', 'another')),
  'groups instructions': look(async (setup) => ({ id: setup.group, agentToken: '' })),
  'groups instructions ~ change them': { ...change(theGroup, also('--file', '-')), stdin: () => 'Be brief.' },
  'groups export': look(theGroup),
  'groups import': {
    fresh: true,
    words: () => ['-'],
    stdin: () => JSON.stringify({ name: 'New', folder: `new-${randomUUID()}` }),
  },
  'groups remove': change(anotherGroup, also('--yes')),
  'groups members': look(async (setup) => ({ ...(await theGroup(setup)), marker: setup.persons.memb.id })),
  'groups add-member': change(somebody(), (subject, { group }) => [group, subject.id]),
  'groups remove-member': change(member, (subject, { group }) => [group, subject.id]),
  'credentials list': look(credential),
  'credentials revoke': change(credential, ({ id, params }) => [id, params?.['credentialId'] ?? '']),
  destinations: look(destination, none),
  'destinations list': look(destination, none),
  'destinations add': change(lonelyChat, (subject, { group }) => [group, subject.id]),
  'destinations remove': change(destination, ({ params }, { group }) => [group, params?.['localName'] ?? '']),
  strangers: look(strangerOfGroup, none),
  'identities claim': change(codeFromChat, ({ more }) => [String(more?.['code']), '--yes']),
  'identities code': {},
}
