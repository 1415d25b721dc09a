const reasons: Readonly<Record<string, string>> = {
  answer_not_typed: 'an answer could not be typed into its terminal',
  write_differs: 'the agent wrote something other than what was approved',
  forced_apply: 'something was applied by force: a file had changed since it was asked',
  undone: 'what was approved was undone',
  settings_appeared: 'settings that tools follow appeared in its workspace',
  ignores_cancel: 'the agent was told to stop, but has not stopped',
  policy: 'its policy has something to report',
  error_recovery: 'the agent has reported an error and is waiting for a person',
}

/** The text for a code of `session.alerted`: why someone should look. */
export const attentionWords = (what: string): string => reasons[what] ?? what.replaceAll('_', ' ')
