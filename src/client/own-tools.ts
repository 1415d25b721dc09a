/** The tools of our own MCP server, as it lists them: whoever sees one called knows that it asks by itself. */
export const ownTools: readonly string[] = [
  'ask_approval',
  'accept_diff',
  'check_auto_approve',
  'forward_prompt',
  'wait_for_instruction',
  'heartbeat',
  'remote_log',
  'recover_state',
  'set_operational_mode',
  'create_checkpoint',
  'list_checkpoints',
  'permission_prompt',
]
