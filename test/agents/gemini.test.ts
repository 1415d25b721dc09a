import { tryAgent } from './cases.ts'

// It names its files by the minute: a session loaded in the minute of its start finds nothing.
tryAgent('gemini', { loadsOnlyInLaterMinutes: true })
