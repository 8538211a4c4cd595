/** Certificates of authorities that are not among those that Node trusts. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { messageOf } from './thrown.ts'

/** @returns certificates in PEM @throws Error that says why the file cannot be used */
export function readCertificates(path: string): string {
  const text = readFileSync(path, 'utf8')
  try {
    // Node ignores what is no certificate.
    new X509Certificate(text)
  } catch {
    throw new Error(`${path} has no certificate in PEM`)
  }
  return text
}

/**
 * Trusts the authorities in the file that NODE_EXTRA_CA_CERTS names, if the variable comes from a file such as `.env`: Node itself reads it
 * only from the environment that it is started with.
 */
export async function trustExtraAuthorities(path: string | undefined): Promise<void> {
  if (!path) return
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls')
  if (getCACertificates('extra').length > 0) return
  try {
    setDefaultCACertificates([...getCACertificates('default'), readCertificates(path)])
  } catch (error) {
    // As Node does with a file that it cannot read.
    process.emitWarning(`NODE_EXTRA_CA_CERTS has no effect: ${messageOf(error)}`)
  }
}
