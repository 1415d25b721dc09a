import { createSttyShell } from '../../lib/stty-shell.ts'

/** Terminals that people attach from. Starting a process takes them longer than asking us, so we set their modes. */
export const callersTerminals = createSttyShell()
