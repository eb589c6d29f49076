/** Why a receiver could not be reached, in words that say what to look at; the code of the system stands behind them. */
import { ForbiddenAddress } from './address.ts'

const WORDS: Record<string, string> = {
  ENOTFOUND: 'the name of the receiver is not known to DNS',
  EAI_AGAIN: 'the name of the receiver cannot be looked up now: DNS does not answer',
  ENODATA: 'the name of the receiver has no address',
  ECONNREFUSED: 'nothing listens at this address and port',
  EHOSTUNREACH: 'there is no way to the host of the receiver',
  ENETUNREACH: 'there is no way to the network of the receiver',
  ETIMEDOUT: 'the host of the receiver does not answer',
  ECONNRESET: 'the receiver closed the connection',
  EPIPE: 'the receiver closed the connection',
  EADDRNOTAVAIL: 'this is no address that can be reached',
  CERT_HAS_EXPIRED: 'the certificate of the receiver has expired',
  CERT_NOT_YET_VALID: 'the certificate of the receiver is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the receiver is for another name',
  HOSTNAME_MISMATCH: 'the certificate of the receiver is for another name',
  CERT_SIGNATURE_FAILURE: 'the certificate of the receiver is not signed by a known authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the receiver is not signed by a known authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the receiver is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate of the receiver is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of the receiver is not signed by a known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the receiver is not signed by a known authority',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the receiver asks for a client certificate',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the receiver does not speak TLS at this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the receiver does not speak TLS at this port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the receiver speaks no version of TLS that is allowed',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'the receiver speaks no version of TLS that is allowed',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'client_key does not belong to client_cert',
}

/** Alerts by which a receiver turns a client certificate down. */
const TURNED_DOWN =
  /ALERT_(?:BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_(?:EXPIRED|REVOKED|UNKNOWN)|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/

/** What nobody can wait out: somebody has to change something, here or there. */
const NEEDS_HELP = /^(?:CERT_|ERR_TLS_|ERR_OSSL_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_)/

export function explain(error: unknown): string {
  if (error instanceof ForbiddenAddress || !(error instanceof Error)) return String(messageOf(error))
  const code = codeOf(error)
  if (code === null) return error.message
  const words = WORDS[code] ?? (TURNED_DOWN.test(code) ? 'the receiver turned the client certificate down' : null)
  return words === null ? `${error.message || 'it cannot be reached'} (${code})` : `${words} (${code})`
}

export function needsHelp(error: unknown): boolean {
  return error instanceof ForbiddenAddress || NEEDS_HELP.test(codeOf(error) ?? '')
}

/** Several addresses of one name fail together: the first says why. */
function codeOf(error: unknown): string | null {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

const messageOf = (error: unknown): unknown => (error instanceof Error ? error.message : error)
