// The package brings no types of its own.
declare module 'fs-native-extensions' {
  /** Takes an exclusive lock of the operating system on `length` bytes of an open file; false when somebody else holds it. */
  export function tryLock(fd: number, offset?: number, length?: number): boolean
}
