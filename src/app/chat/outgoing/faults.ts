import { fail, type Failed } from '../../../lib/result.ts'

export const rateLimited = (seconds: number): Failed =>
  fail({
    kind: 'limited',
    code: 'rate_limited',
    message: 'Too many messages in a short time.',
    hint: `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    details: { retryAfterSeconds: seconds },
  })

export const unknownDestination = (to: string | null, known: readonly string[]): Failed =>
  fail({
    kind: 'not_found',
    code: 'unknown_destination',
    message: to === null ? 'No chat to reply to.' : `No such destination: ${to}.`,
    hint:
      known.length > 0
        ? `Known: ${known.join(', ')}.`
        : 'This session has no destinations. An admin of its agent group can add one.',
  })

export const messageNotFound = (id: string): Failed =>
  fail({
    kind: 'not_found',
    code: 'message_not_found',
    message: `No such message: ${id}.`,
    hint: 'Use a message_id that send_message or send_file returned, or "last" for the last message you received.',
  })

export const notSentYet = (id: string): Failed =>
  fail({
    kind: 'conflict',
    code: 'message_not_sent',
    message: `Message ${id} has not been sent yet.`,
    hint: 'Try again in a moment.',
  })

export const unsupported = (message: string, hint?: string): Failed =>
  fail({ kind: 'conflict', code: 'unsupported', message, hint })

export const emptyMessage = fail({ kind: 'invalid', code: 'empty_message', message: 'The message has no text.' })

export const tooLong = (most: number): Failed =>
  fail({
    kind: 'too_large',
    code: 'too_large',
    message: `A message has at most ${most} characters.`,
    hint: 'Send the text as a file.',
  })

export const fileTooLarge = (most: number): Failed =>
  fail({
    kind: 'too_large',
    code: 'too_large',
    message: `The file is larger than ${most >= 1_000_000 ? `${Math.floor(most / 1_000_000)} MB` : `${most} bytes`}.`,
    hint: 'Send a smaller file, or a part of it.',
  })

export const secretFile = (path: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'path_violation',
    message: `${path} can contain secrets, so it is not sent.`,
    hint: 'Ask your operator to send it.',
  })
