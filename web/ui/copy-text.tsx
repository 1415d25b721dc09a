import { useState } from 'react'
import { IconButton } from './button.tsx'

/** Text to copy: a tap selects it, the button copies it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <div className="flex items-center gap-2 rounded-lg bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 font-mono text-sm break-all whitespace-pre-wrap select-all">{text}</code>
      <IconButton icon={copied ? 'check' : 'copy'} label={copied ? 'Copied' : label} onClick={() => void copy()} />
    </div>
  )
}
