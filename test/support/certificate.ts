/** TLS certificates of the tests. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'

export const hasOpenssl = spawnSync('openssl', ['version']).error === undefined

/** Where a certificate and its key are, as PEM. */
export interface Certificate {
  certificate: string
  key: string
}

interface CertificateOptions {
  /** Whom it is for, as in openssl's subjectAltName. */
  host?: string
  /** Days from now until it expires; negative: it has expired. */
  days?: number
  /** Who signs it; absent: it signs itself, and may sign others. */
  authority?: Certificate
}

/** Makes `NAME.crt` and `NAME.key` in a directory. */
export function makeCertificate(
  directory: string,
  name: string,
  { host = 'DNS:localhost', days = 2, authority }: CertificateOptions = {},
): Certificate {
  const fileOf = (type: string) => join(directory, `${name}.${type}`)
  const [request, certificate, key] = [fileOf('csr'), fileOf('crt'), fileOf('key')]
  const extensions = [`subjectAltName=${host}`, ...(authority ? [] : ['basicConstraints=critical,CA:TRUE'])]
  openssl(
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', `/CN=${name}`, ...extensions.flatMap((extension) => ['-addext', extension])],
    ...['-keyout', key, '-out', request],
  )
  const signer = authority
    ? ['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial']
    : ['-key', key]
  openssl(
    ...['x509', '-req', '-in', request, ...signer, '-copy_extensions', 'copy'],
    ...['-days', String(days), '-out', certificate],
  )
  return { certificate, key }
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' })
}
