import type { ToolDeps } from '../deps.ts'
import type { Rebinding } from '../sessions.ts'
import type { Steering } from '../steering.ts'
import { acceptDiff } from './accept-diff.ts'
import { askApproval } from './ask-approval.ts'
import { addMcpServer } from './administration/add-mcp-server.ts'
import { createAgent } from './administration/create-agent.ts'
import { installPackages } from './administration/install-packages.ts'
import { requestCredential } from './administration/request-credential.ts'
import { addReaction } from './chat/add-reaction.ts'
import { askUserQuestion } from './chat/ask-user-question.ts'
import { editMessage } from './chat/edit-message.ts'
import { listDestinations } from './chat/list-destinations.ts'
import { sendFile } from './chat/send-file.ts'
import { sendMessage } from './chat/send-message.ts'
import { checkAutoApprove } from './check-auto-approve.ts'
import { createCheckpoint, listCheckpoints } from './checkpoints.ts'
import { forwardPrompt } from './forward-prompt.ts'
import { heartbeat } from './heartbeat.ts'
import { permissionPrompt } from './permission-prompt.ts'
import { recoverState } from './recover-state.ts'
import { remoteLog } from './remote-log.ts'
import { setOperationalMode } from './set-operational-mode.ts'
import { cancelTask, pauseTask, resumeTask, runTask, updateTask } from './tasks/change-task.ts'
import { listTasks } from './tasks/list-tasks.ts'
import { scheduleTask } from './tasks/schedule-task.ts'
import { catchUpTool } from './terminal/catch-up.ts'
import { detectInputPrompt } from './terminal/detect-input-prompt.ts'
import { getSessionUpdates } from './terminal/get-session-updates.ts'
import { inferExpectedInput } from './terminal/infer-expected-input.ts'
import { listSessionMonitors } from './terminal/list-session-monitors.ts'
import { searchSessionHistory } from './terminal/search-session-history.ts'
import { sendSessionInput } from './terminal/send-session-input.ts'
import { createShownPrompts } from './terminal/shown-prompts.ts'
import { startSessionMonitor } from './terminal/start-session-monitor.ts'
import { stopSessionMonitor } from './terminal/stop-session-monitor.ts'
import { trackInputEvent } from './terminal/track-input-event.ts'
import type { Tool } from './tool.ts'
import { waitForInstruction } from './wait-for-instruction.ts'

export type Tools = {
  readonly listed: readonly Tool[]
  /** By name or alias. */
  find(name: string): Tool | undefined
}

export function createTools(
  deps: ToolDeps & { rebinding: Rebinding; steering: Steering; stallEnabled: () => boolean },
): Tools {
  const byName = new Map<string, Tool>()
  const shownPrompts = createShownPrompts()
  const listed: Tool[] = [
    askApproval(deps.changes),
    acceptDiff(deps.applying),
    checkAutoApprove,
    forwardPrompt,
    waitForInstruction,
    heartbeat(deps),
    remoteLog,
    askUserQuestion(deps),
    listDestinations(deps),
    sendMessage(deps),
    sendFile(deps),
    editMessage(deps),
    addReaction(deps),
    scheduleTask,
    listTasks,
    pauseTask,
    resumeTask,
    cancelTask,
    runTask,
    updateTask,
    installPackages(deps),
    addMcpServer(deps),
    createAgent(deps),
    requestCredential(deps),
    recoverState(deps.rebinding),
    setOperationalMode,
    createCheckpoint(deps.checkpoints),
    listCheckpoints,
    startSessionMonitor(deps.terminals),
    stopSessionMonitor(deps.terminals),
    listSessionMonitors(deps.terminals),
    getSessionUpdates(deps.terminals),
    detectInputPrompt(deps.terminals, shownPrompts),
    trackInputEvent(deps.inputs),
    inferExpectedInput(deps.inputs),
    searchSessionHistory(deps.terminals),
    sendSessionInput(deps.terminals, shownPrompts),
    catchUpTool(deps.catchUp),
    permissionPrompt({ lookAtFile: deps.lookAtFile, isOwn: (name) => byName.has(name) }),
  ]
  for (const tool of listed) for (const name of [tool.name, ...tool.aliases]) byName.set(name, tool)
  return { listed, find: (name) => byName.get(name) }
}
