/** What to do about a folder that can't be written, by the code of the error. `variable` is the setting that names the folder. */
export function folderTodo(code: string | undefined, variable: string): string {
  if (code === 'EROFS')
    return `Mount its disk for writing, or set ${variable} to a folder on another. After an error the system makes a disk read-only: dmesg shows that.`;
  if (code === 'EACCES' || code === 'EPERM')
    return `Run this as a user that may write there, give the user that Linnet runs as that right (chown -R), or set ${variable} to another folder.`;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `Free some space on its disk (df, and df -i for files), or set ${variable} to a folder on another.`;
  return `Set ${variable} to one that can.`;
}
