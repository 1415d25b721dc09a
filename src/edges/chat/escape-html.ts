import { cutAtWord } from './split-text.ts'

/** The three characters that begin marks, both in Slack's mrkdwn and in Telegram's HTML. */
export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** As `cutAtWord`, and never inside `&amp;`, `&lt;` or `&gt;`. */
export function cutEscaped(text: string, most: number): number {
  const at = cutAtWord(text, most)
  const ampersand = text.lastIndexOf('&', at - 1)
  const entity = ampersand < 0 ? null : /^&(?:amp|lt|gt);/.exec(text.slice(ampersand, ampersand + 5))
  return entity && ampersand > 0 && ampersand + entity[0].length > at ? ampersand : at
}
