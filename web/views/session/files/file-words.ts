/** What is typed after the @ at the end of the text; null if nothing is. */
export const fileWordIn = (text: string): string | null => /(?:^|\s)@([^\s@]{0,200})$/.exec(text)?.[1] ?? null

const mostLinks = 20

/** The chosen files that the text still names. */
export const linksIn = (text: string, chosen: ReadonlySet<string>): string[] =>
  [...chosen].filter((path) => text.includes(`@${path}`)).slice(0, mostLinks)
