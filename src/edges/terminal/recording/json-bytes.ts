/**
 * Text in UTF-8 as a JSON string whose characters are the bytes of its UTF-8: to be written as latin1. What JSON escapes
 * is all ASCII, so that bytes may pass for letters; and strings of bytes are several times as quick as those of letters.
 */
export const encodedJson = (text: Buffer): string => JSON.stringify(text.toString('latin1'))
