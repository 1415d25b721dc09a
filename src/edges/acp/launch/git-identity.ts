import { execFile } from 'node:child_process'

const wanted = String.raw`^(user\.(name|email)|safe\.directory)$`

/**
 * The operator's Git configuration is hidden in the sandbox, as it may hold tokens. Who commits, and which repositories
 * are trusted, goes along as variables.
 */
export async function gitIdentity(
  workspace: string,
  env: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const output = await new Promise<string>((resolve) => {
    execFile('git', ['config', '-z', '--get-regexp', wanted], { cwd: workspace, env, timeout: 5000 }, (_, stdout) => {
      resolve(stdout)
    })
  })
  const entries = output.split('\0').flatMap((entry) => {
    const end = entry.indexOf('\n')
    return end === -1 ? [] : [[entry.slice(0, end), entry.slice(end + 1)] as const]
  })
  const variables: Record<string, string> = {}
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key
    variables[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return entries.length === 0 ? {} : { ...variables, GIT_CONFIG_COUNT: String(entries.length) }
}
