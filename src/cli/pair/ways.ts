/** What is on this machine that could lead a phone here. */
export type Surroundings = {
  /** Our port on loopback. */
  readonly port: number
  /** Null if it is not installed; its name in the network, and whether it is connected. */
  readonly tailscale: { readonly name: string | null; readonly running: boolean } | null
  readonly cloudflared: boolean
  readonly openssl: boolean
  /** Programs that can be a reverse proxy here. */
  readonly proxies: readonly string[]
  /** Addresses of this machine in its networks, without loopback. */
  readonly addresses: readonly string[]
}

/** One way to an address that a phone can open. */
export type Way = {
  readonly name: 'tailscale' | 'lan' | 'proxy' | 'cloudflared'
  readonly title: string
  /** Whether all it needs is here. */
  readonly ready: boolean
  /** Why, or what is missing. */
  readonly about: string
  /** What to do, in this order. */
  readonly steps: readonly string[]
  /** Lines for config.toml; null if they are not known yet. */
  readonly config: string | null
}

const configFor = (publicUrl: string): string => `[http]\npublic_url = "${publicUrl}"\ntrusted_proxies = ["loopback"]\n`

/** Ways that work here first; the safest first among them. */
export function waysFrom(here: Surroundings, signalbox: string): Way[] {
  const last = [`Restart the server, then run: ${signalbox} pair`]
  const ways = [tailscaleWay(here, last), lanWay(here, signalbox), proxyWay(here, last), tunnelWay(here, last)]
  return ways.toSorted((a, b) => Number(b.ready) - Number(a.ready))
}

function tailscaleWay({ tailscale, port }: Surroundings, last: readonly string[]): Way {
  const title = 'A private network: Tailscale'
  const name = tailscale?.name ?? null
  const ready = tailscale?.running === true && name !== null
  return {
    name: 'tailscale',
    title,
    ready,
    about: ready
      ? `This machine is ${name}. Only devices in your network reach it.`
      : tailscale === null
        ? 'It is not installed. Install it here and on the phone: https://tailscale.com/download'
        : 'It is installed, and not connected. Run: tailscale up',
    steps: ready ? [`tailscale serve --bg ${port}`, 'Put these lines into config.toml:', ...last] : [],
    config: ready ? configFor(`https://${name}`) : null,
  }
}

function lanWay({ openssl, addresses }: Surroundings, signalbox: string): Way {
  const ready = openssl && addresses.length > 0
  const [first = ''] = addresses
  return {
    name: 'lan',
    title: 'The same Wi-Fi, with a certificate of your own',
    ready,
    about: ready
      ? `This machine has the address ${addresses.join(', ')}. The phone has to trust your certificate once.`
      : openssl
        ? 'This machine has no address in a network.'
        : 'It needs the program openssl.',
    steps: ready ? [`${signalbox} pair --lan ${first}`] : [],
    config: null,
  }
}

function proxyWay({ proxies, port }: Surroundings, last: readonly string[]): Way {
  const [first] = proxies
  return {
    name: 'proxy',
    title: 'A reverse proxy with your domain',
    ready: proxies.length > 0,
    about:
      first === undefined
        ? 'No Caddy or nginx found. Caddy gets its certificate automatically: https://caddyserver.com'
        : `${proxies.join(' and ')} found. It needs a name that leads to this machine.`,
    steps:
      first === undefined
        ? []
        : [
            first === 'caddy'
              ? `In the Caddyfile: NAME { reverse_proxy 127.0.0.1:${port} }`
              : `Pass NAME on to 127.0.0.1:${port}, with the settings in docs/phone.md`,
            'Put these lines into config.toml, with your NAME:',
            ...last,
          ],
    config: first === undefined ? null : configFor('https://NAME'),
  }
}

function tunnelWay({ cloudflared, port }: Surroundings, last: readonly string[]): Way {
  return {
    name: 'cloudflared',
    title: 'A public tunnel: cloudflared',
    ready: cloudflared,
    about: cloudflared
      ? 'It is installed. Everybody can open the login page there; only people with a login get in.'
      : 'It is not installed.',
    steps: cloudflared
      ? [
          `cloudflared tunnel --url http://127.0.0.1:${port}`,
          'Put these lines into config.toml, with the address that it prints:',
          ...last,
        ]
      : [],
    config: cloudflared ? configFor('https://NAME.trycloudflare.com') : null,
  }
}
