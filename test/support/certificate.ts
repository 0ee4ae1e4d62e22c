/** A certificate for 127.0.0.1 that signs itself, made on the spot, so that tests can speak TLS without a secret in the repository. */
import { generateKeyPairSync, sign } from 'node:crypto'

export interface Certificate {
  /** Both PEM. */
  readonly key: string
  readonly cert: string
}

/** Valid from 2020 to 2049. */
export function loopbackCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const name = sequence(set(sequence(der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from('127.0.0.1')))))
  const algorithm = sequence(der(0x06, [0x2b, 0x65, 0x70])) // Ed25519
  const alternativeName = sequence(der(0x06, [0x55, 0x1d, 0x11]), der(0x04, sequence(der(0x87, [127, 0, 0, 1]))))
  const content = sequence(
    der(0xa0, der(0x02, [2])), // version 3
    der(0x02, [1]),
    algorithm,
    name,
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName)),
  )
  const whole = sequence(content, algorithm, der(0x03, Buffer.concat([Buffer.of(0), sign(null, content, privateKey)])))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function set(...parts: readonly Uint8Array[]): Buffer {
  return der(0x31, Buffer.concat(parts))
}

/** One DER value: tag, length, content. */
function der(tag: number, content: Uint8Array | readonly number[]): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), Buffer.from(content)])
}
