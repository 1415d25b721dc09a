import type { Rendered } from '../../../src/edges/chat/adapter.ts'
import type { DiscordComponent, DiscordEmbed } from '../../support/chats/discord-guild.ts'

type Body = { content: string; embeds: DiscordEmbed[]; components: DiscordComponent[]; mention: string | null }
export const bodyOf = ({ body }: Rendered): Body => body as unknown as Body

/** Everything of a message that Discord reads as Markdown. */
export const markdownOf = (part: Rendered): string[] => {
  const { content, embeds } = bodyOf(part)
  return [content, ...embeds.map(({ description = '' }) => description)]
}
/** Everything people can read: texts, labels and files, without escapes. */
export function readable(parts: readonly Rendered[]): string {
  const all = parts.flatMap((part) => {
    const { embeds, components } = bodyOf(part)
    const labels = components.flatMap((row) => row.components ?? []).map(({ label }) => label ?? '')
    const small = embeds.map(({ footer }) => footer?.text ?? '')
    return [...markdownOf(part), ...small, ...labels, part.file?.bytes.toString() ?? '']
  })
  return all.join('\n').replaceAll(/\\([^0-9A-Za-z\s])/g, '$1')
}

/**
 * A simple reader of Discord's Markdown, from its beginning: code blocks, escapes, code spans, and what is left. What it
 * finds live is what Discord would act on.
 */
export function liveMarks(content: string): string[] {
  const found: string[] = []
  const rules: [RegExp, boolean][] = [
    [/^```(?:[\w+#.-]+\n)?[^]*?```/, false],
    [/^\\[^0-9A-Za-z\s]/, false],
    [/^(`+)([^]*?[^`])\1(?!`)/, false],
    [/^<https?:\/\/[^\s<>]+>/, false],
    [/^<(?:@[!&]?|#|t:|a?:\w+:|\/[^>]*:|id:)\w*[^>]*>/, true],
    [/^\[(?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*\]\([^)]*\)/, true],
    [/^\|\|[^]+?\|\|/, true],
    [/^@(?:everyone|here)/, true],
  ]
  let rest = content
  while (rest !== '') {
    const hit = rules.flatMap(([rule, isLive]) => {
      const [matched] = rule.exec(rest) ?? []
      return matched === undefined ? [] : [{ matched, isLive }]
    })[0]
    if (hit?.isLive) found.push(hit.matched)
    rest = rest.slice(hit?.matched.length ?? 1)
  }
  return found
}
