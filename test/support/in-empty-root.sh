#!/bin/sh
# Runs Linnet's single-file build in an otherwise empty, read-only root that has only the C library and /proc; if the
# caller is root, as an unprivileged user. Only DATA_DIR is writable, and the folders of temporary files that the settings
# or arguments name, such as a backup or a certificate.
#   in-empty-root.sh FILE WORDS...
set -eu
[ -n "${IN_OWN_MOUNTS:-}" ] || {
  [ "$(id -u)" = 0 ] || user=--map-root-user
  IN_OWN_MOUNTS=yes exec unshare --mount --propagation private ${user:-} -- "$0" "$@"
}
unset IN_OWN_MOUNTS
file=$1
shift
root=${TMPDIR:-/tmp}/linnet-empty-root-$(awk "{ print \$2; exit }" /proc/self/uid_map)
mkdir -p "$root"
mount -t tmpfs none "$root"
mkdir "$root/proc"
mount --rbind /proc "$root/proc"
bind() {
  mkdir -p "$root$(dirname "$2")"
  : >"$root$2"
  mount --bind "$1" "$root$2"
}
bind "$file" /linnet
ldd "$file" | grep -o '/[^ ]*' | while read -r library; do bind "$(readlink -f "$library")" "$library"; done
folders=
share() {
  mkdir -p "$root$1"
  mount --bind "$1" "$root$1"
  folders="$folders $1"
}
for path in "$@" "${TLS_CERT:-}" "${TLS_KEY:-}" "${ACME_CA:-}" "${VISITOR_SALT_DIR:-}" "${COUNTRY_FILE:-}"; do
  folder=$path
  [ -d "$folder" ] || folder=${path%/*}
  case "$folder" in "${TMPDIR:-/tmp}"/*) [ ! -d "$folder" ] || share "$folder" ;; esac
done
if [ -n "${DATA_DIR:-}" ]; then
  # The doctor reports a missing folder, so it isn't created for it.
  [ "${1:-}" = doctor ] || mkdir -p "$DATA_DIR" 2>/dev/null || true
  [ ! -d "$DATA_DIR" ] || share "$DATA_DIR"
fi
mount -o remount,bind,ro "$root"
# Only where the user namespace maps every user, not just the caller.
anybody=$(awk '$3 > 65534 { print "65534:65534" }' /proc/self/uid_map)
[ -z "$anybody" ] || [ -z "$folders" ] || chown -R "$anybody" $folders
exec chroot ${anybody:+--userspec=$anybody} "$root" /linnet "$@"
