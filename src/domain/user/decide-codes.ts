import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { UserState } from './decide.ts'
import type { UserId } from './id.ts'
import type { UserChange, UserCommand } from './schema.ts'

type CommandOf<T extends UserCommand['type']> = Extract<UserCommand, { type: T }>

export type CodeCommand = CommandOf<'identity.offer' | 'identity.claim' | 'identity.offer_own' | 'identity.claim_from'>

export const isCodeCommand = (command: UserCommand): command is CodeCommand => 'codeHash' in command

type Code = { readonly expired: boolean; readonly used: boolean }

export type CodeFacts = {
  /** Who claims or offers: the person who is signed in. */
  readonly person: UserState | undefined
  /** Made by a person, to be said in a chat. */
  readonly own: (Code & { readonly userId: UserId }) | undefined
  /** Made in a chat, to be entered by a person. */
  readonly fromChat: (Code & { readonly identity: string }) | undefined
  /** Who holds the identity now. */
  readonly holder: UserState | undefined
}

/** One-time codes, in both directions. The person who has one controls both sides, so the identity moves. */
export function decideCode(facts: CodeFacts, command: CodeCommand): Result<UserChange[]> {
  const { person, own, fromChat, holder } = facts
  switch (command.type) {
    case 'identity.offer': {
      if (own || fromChat) return codeTaken()
      const { identity, expiresAt, codeHash } = command
      return ok([{ type: 'identity.coded', data: { identity, expiresAt }, body: { codeHash } }])
    }
    case 'identity.offer_own': {
      if (!person || person.removed) return needsPerson()
      if (own || fromChat) return codeTaken()
      const { codeHash, expiresAt } = command
      return ok([{ type: 'identity.offered', data: { userId: person.id, expiresAt }, body: { codeHash } }])
    }
    case 'identity.claim':
      if (!person || person.removed) return needsPerson()
      if (!isValid(fromChat)) return codeNotValid()
      return ok(moved(fromChat.identity, person, holder, command.codeHash))
    case 'identity.claim_from':
      if (!isValid(own)) return notValid('Make a new one with: signalbox identities code')
      if (!person || person.removed) return notFound('user', own.userId)
      return ok(moved(command.identity, person, holder, command.codeHash))
    default:
      return command satisfies never
  }
}

const isValid = <T extends Code>(code: T | undefined): code is T => code !== undefined && !code.expired && !code.used

function moved(identity: string, to: UserState, from: UserState | undefined, codeHash: string): UserChange[] {
  const userId = to.id
  const claimed: UserChange = { type: 'identity.claimed', data: { userId }, body: { codeHash } }
  if (from?.id === userId) return [claimed]
  const linked: UserChange = { type: 'identity.linked', data: { userId, identity, from: from?.id ?? null } }
  if (!from) return [claimed, linked]
  return [
    claimed,
    { type: 'identity.unlinked', data: { userId: from.id, identity } },
    linked,
    ...(isOnlyAnIdentity(from) ? from.memberOf : [])
      .filter((agentGroupId) => !to.memberOf.includes(agentGroupId))
      .map((agentGroupId): UserChange => ({
        type: 'member.added',
        data: { userId, agentGroupId, by: null },
      })),
  ]
}

/** Made when somebody unknown was let in: it is the same person, whose groups go along. */
const isOnlyAnIdentity = ({ identities, grants }: UserState): boolean => identities.length <= 1 && grants.length === 0

const notValid = (hint: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'code_not_valid',
    message: 'This code is wrong, was used, or is older than ten minutes.',
    hint,
  })

export const codeNotValid = (): Failed => notValid('Ask for a new one in the chat: /signalbox link')

const codeTaken = (): Failed =>
  fail({ kind: 'conflict', code: 'code_taken', message: 'This code exists already.', hint: 'Make another one.' })

const needsPerson = (): Failed =>
  fail({ kind: 'forbidden', code: 'needs_person', message: 'Only a person can do this.' })
