/** The columns of the table: every kind of caller, by the head of its column. */
export const callers = {
  own: 'the owner of this Signalbox',
  adm: 'a global admin',
  mach: 'a person with the role machine',
  memb: 'a member of the agent group the session belongs to',
  gadm: 'an admin of that agent group, and of nothing else',
  oadm: 'an admin of another agent group',
  strn: 'a person with a login, no role, and nothing to do with the session',
  self: 'the person whose session it is; no role',
  dlg: 'a person the session is delegated to; no role',
  read: 'a read-only token of the person whose session it is',
  agnt: 'an agent with a token of this session',
  othr: "an agent with a token of another session of the same person's",
  loos: 'an agent with a token of the same person that belongs to no session',
  rvkd: 'a revoked token',
  expd: 'an expired token',
  rmvd: 'the token of a person who was removed',
  none: 'no credentials',
  cook: 'a login cookie without its key',
} as const
export type CallerName = keyof typeof callers

export const callerNames = Object.keys(callers) as CallerName[]
export const people = ['own', 'adm', 'mach', 'memb', 'gadm', 'oadm', 'strn', 'self', 'dlg'] as const
export type PersonName = (typeof people)[number]

/** The possible cells. */
export const codes: Readonly<Record<string, string>> = {
  ok: 'allowed, and it works',
  own: "allowed, and shows only the caller's own things: nothing of the row's subject",
  '401': 'not recognised',
  '404': 'as if it were not there',
  '403': 'refused, whatever the words',
  '403o': 'not_owner: may read it, but not act on it',
  '403r': 'needs_role: needs a higher role',
  '403m': 'needs_machine: would run or read something as the server’s user',
  '403l': 'read_only_token: this token only looks',
  '403a': 'not for agents',
  '403n': 'not_for_callers: only Signalbox itself, or the agent, does this',
  '403y': 'not_yourself: nobody raises themselves',
  '400': 'what is wanted does not exist for anyone',
  '409': 'refused because of what it is, not who asks',
  asks: 'an agent asks its administrators, and nothing is changed before they answer',
  past: 'allowed; the made-up account of this matrix is refused later, by what it lacks',
  nil: 'allowed, but there is nothing to do it to',
  hear: 'the stream carries it',
  '-': 'silence: the stream does not carry it',
  no: 'the tool refuses: it is not theirs, or not there',
  'n/a': 'can’t be; the note at the end of the row says why',
}

/** Which error codes a refusal may have. */
export const refusals: Readonly<Record<string, { status: number; codes: readonly string[] | null }>> = {
  '401': { status: 401, codes: null },
  '404': { status: 404, codes: null },
  '403': { status: 403, codes: null },
  '403o': { status: 403, codes: ['not_owner'] },
  '403r': { status: 403, codes: ['needs_role'] },
  '403m': { status: 403, codes: ['needs_machine'] },
  '403l': { status: 403, codes: ['read_only_token'] },
  '403a': {
    status: 403,
    codes: ['agents_may_not', 'agents_never_answer', 'not_permitted', 'token_of_one_session', 'needs_machine'],
  },
  '403n': { status: 403, codes: ['not_for_callers'] },
  '403y': { status: 403, codes: ['not_yourself'] },
  '400': { status: 400, codes: null },
  '409': { status: 409, codes: null },
}

/** Faults of an account whose credentials are made up: whoever gets them was allowed to try. */
export const pastPermission: ReadonlySet<string> = new Set(['chat_credentials_unreadable', 'chat_not_found'])
