/** A prompt as shown on the screen, before it is interpreted. */
export type PromptSource = {
  /** The whole prompt text as it will be reported. */
  text: string
  /** The cursor's logical line, up to the cursor. */
  line: string
  /** The logical lines above it, nearest last, at most 30. */
  above: readonly string[]
  /** The entries of a drawn menu: arrow menus, check boxes, buttons. */
  menu: readonly MenuEntry[] | null
  fullScreen: boolean
  /** Echo is off in canonical mode: the input is meant to stay hidden. */
  secretByMode: boolean
  canonical: boolean | null
  program: string | null
}

export type MenuEntry = { key: string | null; label: string; selected: boolean }
