/** Decides where requests may be sent. A base address is checked before its name is resolved; keys are never sent unencrypted to another machine. */
import { Failure } from '../../../errors.ts'

export interface BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path before the documented paths, without a trailing slash; usually empty. */
  readonly prefix: string
  /** The address is this machine: plain http is allowed, and the service's identification is trusted. */
  readonly loopback: boolean
}

/**
 * Reads DCALAB_BASE_URL. `tlsUnverified`: certificate checks are switched off in the environment.
 * @throws Failure settingInvalid
 */
export function checkBaseUrl(text: string, options: { readonly tlsUnverified: boolean }): BaseAddress {
  const url = parse(text)
  const host = url.hostname.replace(/\.$/, '')
  const loopback = isLoopback(host)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse(`${url.protocol} is not a web address`)
  if (url.protocol === 'http:' && !loopback) refuse('keys travel only over https:, except to this machine')
  if (url.username !== '' || url.password !== '') refuse('it carries a user name or password')
  if (text.includes('?') || text.includes('#')) refuse('it carries a query or a fragment')
  if (isForbiddenHost(host)) refuse(`${host} is a link-local, metadata or unspecified address`)
  if (url.pathname.includes('//') || url.pathname.includes('%')) refuse('its path holds // or an escape')
  if (options.tlsUnverified && !loopback) {
    refuse('NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off; unset it')
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/$/, ''), loopback }
}

function parse(text: string): URL {
  try {
    return new URL(text)
  } catch {
    return refuse('it is not a URL')
  }
}

function refuse(reason: string): never {
  // The message does not contain the address, which may include a password.
  throw new Failure('settingInvalid', `The base address (DCALAB_BASE_URL) cannot be used: ${reason}`)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]'
}

/** Metadata services of clouds that are outside the link-local range: Alibaba, Oracle, Azure, AWS, Google. */
const METADATA_HOSTS: readonly string[] = [
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
]

/** Hosts to which keys must not be sent: cloud metadata services, link-local and unspecified addresses (H67). */
function isForbiddenHost(host: string): boolean {
  if (METADATA_HOSTS.includes(host) || /^169\.254\./.test(host) || /^0\./.test(host)) return true
  // fe80::/10, and IPv4 addresses written as IPv6: ::, ::ffff:a9fe:…, ::a9fe:…, 64:ff9b:… (NAT64), 2002:… (6to4).
  return /^\[(fe[89ab]|::(?!1\])|64:ff9b:|2002:)/.test(host)
}
