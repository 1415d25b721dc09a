import { isInstalled } from '../../scripts/lib/programs.mjs'

/** Those that are not here; a test that needs one is skipped with its name. */
export const missingPrograms = (names: readonly string[]): string[] => names.filter((name) => !isInstalled(name))
