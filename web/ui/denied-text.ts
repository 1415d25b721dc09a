import { safeText } from './safe-text.ts'

/** What a person can lack, and who gives it. Every view says it in these words. */
const rights = {
  admin: 'needs the admin role. An owner can grant it.',
  owner: 'needs the owner role. An owner can grant it.',
  machine: 'needs the machine right. An owner can grant it.',
  member: 'is for members of an agent group. An admin can add you.',
  repo: 'needs access to a repo. An admin can grant it.',
  session: 'is for its owner and delegates. Its owner can delegate it to you.',
} as const
export type Right = keyof typeof rights

/** `what` begins the sentence: “This page”. */
export const deniedText = (what: string, needs: Right): string => `${what} ${rights[needs]}`

/** For a session of somebody else. `verb`: “message this agent”. */
export const ownersOnly = (owner: string | null, verb: string): string =>
  `Only ${owner === null ? 'the owner' : safeText(owner)} and delegates can ${verb}.`
