import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { DeviceLogin, DeviceOutcome } from '../../../../src/domain/sign-in/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { useAction } from '../../../api/use-action.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Heading } from '../../../ui/rows.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { errorText } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'

/** Lets in a device that shows a code, once the person has seen what asks. */
export function OtherDevice() {
  const client = useClient()
  const [code, setCode] = useState('')
  const [asks, setAsks] = useState<DeviceLogin | null>(null)
  const look = useMutation({
    mutationFn: () => client.showDeviceLogin({ body: { code: code.trim() } }),
    onSuccess: setAsks,
  })
  const over = () => {
    setAsks(null)
    setCode('')
  }
  const answer = useAction(
    (outcome: DeviceOutcome) => client.answerDeviceLogin({ body: { code: code.trim(), outcome } }),
    {
      failed: 'The device was not signed in',
      done: (outcome) => (outcome === 'approved' ? 'The other device is signed in' : 'Refused'),
      whenDone: over,
    },
  )
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() !== '') look.mutate()
  }
  const error = look.error === null ? null : errorText(look.error)
  return (
    <>
      <Heading about="On the other device, open Signalbox and choose “Sign in from another device”.">
        Another device
      </Heading>
      <Card className="flex flex-col gap-4 p-4" aria-label="Another device">
        {asks === null ? (
          <form onSubmit={send} className="flex flex-wrap items-start gap-3">
            <div className="min-w-0 flex-1 basis-56">
              <TextField
                label="Code on the other device"
                placeholder="K7QM-2XWD"
                value={code}
                onChange={({ target }) => {
                  setCode(target.value)
                  look.reset()
                }}
                error={error && [error.message, error.hint].filter(Boolean).join(' ')}
                autoComplete="off"
                autoCapitalize="characters"
                spellCheck={false}
                maxLength={20}
                className="font-mono"
              />
            </div>
            <Button type="submit" tone="main" className="mt-6" disabled={code.trim() === '' || look.isPending}>
              Continue
            </Button>
          </form>
        ) : (
          <>
            <p className="font-medium">
              {safeText(asks.browser)} at {safeText(asks.address)} asks to be signed in as you.
            </p>
            <p className="text-sm text-soft">
              Asked <Time at={asks.createdAt} />.
            </p>
            <p role="alert" className="rounded-lg bg-wait-soft p-3 text-wait">
              Sign it in only if you see the code on a device of yours, in front of you. If somebody sent you the code,
              refuse: they would be signed in as you.
            </p>
            <div className="flex flex-wrap gap-2">
              <Button
                tone="stop-plain"
                icon="cross"
                disabled={answer.isPending}
                onClick={() => answer.mutate('denied')}
              >
                Refuse
              </Button>
              <Button tone="main" icon="check" disabled={answer.isPending} onClick={() => answer.mutate('approved')}>
                Sign it in as me
              </Button>
            </div>
          </>
        )}
      </Card>
    </>
  )
}
