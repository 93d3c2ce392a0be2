/** Downloads a file. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  // By then the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
