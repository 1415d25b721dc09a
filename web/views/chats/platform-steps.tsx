import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChatPlatform } from '../../../src/client/contract/chat-instances.ts'
import { useClient } from '../../api/backend.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Heading } from '../../ui/rows.tsx'

/** What to do on the platform's own pages first. */
export const PlatformSteps = ({ platform: { title, steps, hasManifest, ...platform } }: { platform: ChatPlatform }) => (
  <Card className="flex flex-col gap-3 p-4">
    <Heading>First, in {title}</Heading>
    <ol className="list-decimal space-y-1 pl-5">
      {steps.map((step) => (
        <li key={step} className="break-words">
          {step}
        </li>
      ))}
    </ol>
    {hasManifest && <Manifest name={platform.name} />}
  </Card>
)

/** The description of the app, to paste into the platform. */
function Manifest({ name }: { name: string }) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['platforms', name, 'manifest'],
    queryFn: () => client.getChatManifest({ params: { name } }),
  })
  const [copied, setCopied] = useState(false)
  if (!data) return null
  const copy = async () => {
    await navigator.clipboard.writeText(data.manifest)
    setCopied(true)
  }
  return (
    <>
      <details>
        <summary className="text-soft">Show the manifest</summary>
        <pre tabIndex={0} className="mt-2 max-h-64 overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm">
          {data.manifest}
        </pre>
      </details>
      <div>
        <Button icon={copied ? 'check' : 'copy'} onClick={() => void copy()}>
          {copied ? 'Copied' : 'Copy the manifest'}
        </Button>
      </div>
    </>
  )
}
