import type { Program } from './confined-program.ts'

/** A setting as Git lists it: section and name in lower case, the subsection unchanged. */
export type GitSetting = { readonly name: string; readonly value: string }

/** More than any repo has; Git itself has no limit. */
export const largestConfig = 1024 * 1024

/**
 * The settings of a configuration file, parsed by Git itself from the given bytes: it opens no file, follows no include
 * and reads no repo. Null if they can't be parsed.
 */
export async function readGitConfig(git: Program, bytes: Uint8Array): Promise<GitSetting[] | null> {
  const env = { ...gitWithoutOthers, GIT_DIR: '/nonexistent' }
  const args = ['config', '--file', '-', '--no-includes', '--null', '--list']
  const read = await git.run({ args, cwd: '/', env, sees: {}, timeMs: 10_000 }, { input: bytes })
  return read.code === 0 ? settingsIn(read.stdout.toString()) : null
}

/** Parses the output of `git config --null --list`: a name without a value is `true`. */
export const settingsIn = (list: string): GitSetting[] =>
  list
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf('\n')
      return end === -1 ? { name: entry, value: 'true' } : { name: entry.slice(0, end), value: entry.slice(end + 1) }
    })

/** A configuration file with exactly these settings. Names have no subsection. */
export const writeGitConfig = (settings: readonly GitSetting[]): string =>
  settings
    .map(({ name, value }) => {
      const [section = '', key = ''] = name.split('.')
      const escaped = value
        .replaceAll(/[\\"]/g, String.raw`\$&`)
        .replaceAll('\n', '\\n')
        .replaceAll('\t', '\\t')
      return `[${section}]\n\t${key} = "${escaped}"\n`
    })
    .join('')

/** As environment variables, which no configuration file can override. */
export const asVariables = (settings: readonly (readonly [name: string, value: string])[]): Record<string, string> =>
  Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ])

/** Git that reads no user configuration, never prompts and fetches nothing. */
export const gitWithoutOthers: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_EDITOR: 'false',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_NO_LAZY_FETCH: '1',
}
