import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** The file that would be run. Relative entries of the path are ignored: they would mean a file in the workspace. */
export async function findProgram(command: string, path: string): Promise<string | null> {
  if (command.includes('/')) return isAbsolute(command) && (await isProgram(command)) ? command : null
  for (const directory of path.split(delimiter)) {
    const file = join(directory, command)
    if (isAbsolute(directory) && (await isProgram(file))) return file
  }
  return null
}

const isProgram = async (file: string): Promise<boolean> => {
  const found = await stat(file).catch(() => null)
  if (found?.isFile() !== true) return false
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}
