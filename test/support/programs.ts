import { isInstalled } from '../../scripts/lib/programs.mjs'

/** Programs that are missing; a test that needs one is skipped with its name. */
export const missingPrograms = (names: readonly string[]): string[] => names.filter((name) => !isInstalled(name))
