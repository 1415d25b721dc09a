/** The columns of the table: who writes or presses something in a chat. The session is of `self`, in the agent group. */
export const callers = {
  own: 'the owner of this Signalbox',
  adm: 'a global admin',
  gadm: 'an admin of the agent group, and of nothing else',
  oadm: 'an admin of another agent group',
  memb: 'a member of the agent group, who can sign in',
  made: 'a member of the agent group who is only known from the chat: nobody linked the account',
  self: 'the person whose session it is, a member',
  dlg: 'a person the session is delegated to; no role, no group',
  link: 'a person who linked the account with a code; no role, no group',
  gues: 'somebody who is only known from a chat and has one session, not this one',
  strn: 'a stranger: an account that belongs to nobody',
  unlk: 'the owner of this Signalbox, from an account that is not linked',
  agnt: 'an agent: the bot of another app in the same channel',
} as const
export type ChatCaller = keyof typeof callers
export const callerNames = Object.keys(callers) as ChatCaller[]

/** The possible cells. */
export const codes: Readonly<Record<string, string>> = {
  ok: 'it works',
  own: "it works, and shows only the caller's own things: nothing of the row's subject",
  '403o': 'only the caller is told that the owner of the session can do this',
  '403m': 'only the caller is told that it needs the machine right',
  '403r': 'only the caller is told that it is for members of the agent group',
  '404': 'only the caller is told that there is no such thing',
  '400': 'only the caller is told what is missing, whoever they are',
  text: 'it is an ordinary message for the agent, and answers nothing',
  '-': 'silence; it is counted among the strangers',
  mute: 'silence, and nothing is counted',
  'n/a': 'can’t be; the note at the end of the row says why',
}
