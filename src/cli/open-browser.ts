import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Shows a page in the person's browser. Where there is none, the printed link is still there. */
export function openBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

/** The login link among what the server prints at its start. */
export const loginLinkIn = (text: string): string | null => /https?:\/\/\S+\/login\?code=\S+/.exec(text)?.[0] ?? null
