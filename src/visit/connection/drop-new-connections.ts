import { readFileSync } from 'node:fs';

/** Classic BPF on TCP segments, from their header on: drops those that open a connection (SYN without ACK). */
const dropSyn = new Uint16Array([
  // ldb [13]; and #0x12; jeq #0x02, 0, 1; ret #0; ret #-1
  ...[0x30, 0, 13, 0],
  ...[0x54, 0, 0x12, 0],
  ...[0x15, 0x0100, 0x02, 0],
  ...[0x06, 0, 0, 0],
  ...[0x06, 0, 0xffff, 0xffff],
]);
const instructions = 5;
const socketLevel = 1;
const attachFilter = 26;

/**
 * From now on the kernel drops new connections to this listening socket: clients retry within a second, and by then it is closed
 * and another process on the port gets them. Queued connections can still be accepted, while a close would reset them. Returns
 * false where the system can't do it, and where the kernel passes queued connections to the other processes by itself.
 */
export async function dropNewConnections(fd: number): Promise<boolean> {
  if (process.platform !== 'linux' || migratesConnections()) return false;
  try {
    const { dlopen, ptr } = await import('bun:ffi');
    const libc = dlopen('libc.so.6', {
      setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    });
    const program = new BigUint64Array([BigInt(instructions), BigInt(ptr(dropSyn))]);
    const result = libc.symbols.setsockopt(fd, socketLevel, attachFilter, ptr(program), program.byteLength);
    libc.close();
    return result === 0;
  } catch {
    return false;
  }
}

function migratesConnections(): boolean {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1';
  } catch {
    return false;
  }
}
