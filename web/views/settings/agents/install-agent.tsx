import { useState } from 'react'
import type { AgentInfo } from '../../../../src/client/contract/agents.ts'
import { splitCommand } from '../../../terminal/command-line.ts'
import { CopyText } from '../../../ui/copy-text.tsx'
import { RunHere } from './run-here.tsx'

/** Runs the command that installs an agent, in a terminal on this page. */
export function InstallAgent({
  agent,
  mayRun,
  installed,
}: {
  agent: AgentInfo
  mayRun: boolean
  installed: () => void
}) {
  const [exitCode, setExitCode] = useState<number | null>(null)
  const { installCommand: line } = agent
  if (agent.installed) return <p className="text-soft">It is installed.</p>
  if (line === null) return <p>{agent.install}</p>
  const { words, error, shell } = splitCommand(line)
  const ended = (code: number | null) => {
    setExitCode(code)
    installed()
  }
  return (
    <>
      <p className="text-soft">{mayRun ? 'Runs on the server, as its user.' : agent.install}</p>
      <CopyText text={line} label="Copy the command" />
      {mayRun && (
        <RunHere
          label="Install"
          name={`Install ${agent.title}`}
          command={shell.length > 0 || error !== null ? ['sh', '-c', line] : words}
          ended={ended}
        />
      )}
      {exitCode === 0 && (
        <p role="status" className="text-wait">
          The command has ended, but <code className="font-mono text-sm">{agent.command}</code> is not on the server’s
          PATH. Restart the server with the directory it was installed to, or set the agent’s command in config.toml.
        </p>
      )}
      {exitCode !== null && exitCode !== 0 && (
        <p role="status" className="text-stop">
          The command failed; its output says why. Without the right to write there, run it with another npm prefix.
        </p>
      )}
    </>
  )
}
