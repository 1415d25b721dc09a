import { Link } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'

type NextStep = { icon: IconName; title: string; about: string; to: string; search?: Record<string, string> }

const ways: readonly NextStep[] = [
  {
    icon: 'play',
    title: 'Start a real agent',
    about: 'In one of your repos. Agents that are not installed show how to install them.',
    to: paths.newSession,
  },
  {
    icon: 'phone',
    title: 'Pair your phone',
    about: 'Get notifications and answer from anywhere.',
    to: paths.notifications,
  },
  {
    icon: 'list',
    title: 'Use rules',
    about: 'Approve routine actions automatically. Write a policy and test it on past asks.',
    to: paths.policy,
  },
]

/** Where to go from here. */
export const WhatNext = ({ id, over, allowed }: { id: string; over: boolean; allowed: boolean }) => (
  <Card className="flex flex-col gap-4 p-5">
    <h2 className="text-lg font-semibold">
      {over ? "That's it. What next?" : allowed ? 'Your first change is approved' : 'You rejected it'}
    </h2>
    <p className="text-soft">
      {over ? 'Agents always ask this way.' : 'The agent continues above with a command and a question. Or continue:'}{' '}
      <Link to={paths.session} params={{ id }} className="text-link underline">
        See the whole session
      </Link>
    </p>
    <ul className="grid gap-2 sm:grid-cols-3">
      {ways.map(({ icon, title, about, to }) => (
        <li key={title}>
          <Link to={to} className="flex h-full flex-col gap-1 rounded-lg border border-line-strong p-3 hover:bg-sunken">
            <Icon name={icon} className="size-5 text-accent" />
            <span className="font-medium">{title}</span>
            <span className="text-sm text-soft">{about}</span>
          </Link>
        </li>
      ))}
    </ul>
    <div className="flex flex-col gap-2">
      <p className="text-sm text-soft">
        An agent that runs elsewhere connects over MCP, with a token from{' '}
        <Link to={paths.tokens} className="text-link underline">
          Settings
        </Link>
        , at
      </p>
      <CopyText text={`${location.origin}/mcp`} label="Copy the address" />
    </div>
    <ButtonLink className="self-start" tone="quiet" icon="inbox" to={paths.inbox}>
      Go to the inbox
    </ButtonLink>
  </Card>
)
