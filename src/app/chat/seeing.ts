import { systemStanding } from '../../domain/user/actor.ts'

/** Reads for chats see everything; who is shown what is decided where it is posted. */
export const seeing = systemStanding('chat')
