/** Describes a failed request in our own words: a library's error contains the request headers. */

/** Failures before the first byte of a request: no address, no connection. */
const UNCONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** TLS handshakes that fail before a request can be written. Other TLS errors can also occur later, so they stay ambiguous. */
const NO_HANDSHAKE: ReadonlySet<string> = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
])

/** True when the request was certainly not sent. Where that is not certain: false. */
export function neverLeft(error: unknown): boolean {
  const root = rootCause(error)
  // localhost has two addresses; both must have failed in this way.
  if (root instanceof AggregateError) return root.errors.length > 0 && root.errors.every(neverLeft)
  if (!(root instanceof Error)) return false
  const code = codeOf(root)
  return UNCONNECTED.has(code) || NO_HANDSHAKE.has(code) || root.message === 'bad port'
}

/** The innermost cause in one short line. The caller has to remove keys from it. */
export function describeError(error: unknown): string {
  const root = rootCause(error)
  if (root instanceof AggregateError && root.message === '') return root.errors.map(describeError).join('; ')
  if (!(root instanceof Error)) return String(root)
  const code = codeOf(root)
  const message = root.message.slice(0, 300)
  return code === '' || message.includes(code) ? message : `${message} (${code})`
}

function rootCause(error: unknown): unknown {
  let root = error
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth++) root = root.cause
  return root
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
