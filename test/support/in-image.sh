#!/bin/sh
# Runs the image in a folder (deploy/image-root.sh) as a container runtime with a read-only root does: with /proc, the
# folder DATA at /data, and, if the caller is root, the image's user.
#   in-image.sh IMAGE DATA WORDS...
set -eu
[ -n "${IN_OWN_MOUNTS:-}" ] || {
  [ "$(id -u)" = 0 ] || user=--map-root-user
  IN_OWN_MOUNTS=yes exec unshare --mount --propagation private ${user:-} -- "$0" "$@"
}
unset IN_OWN_MOUNTS
image=$1
data=$2
shift 2
mkdir -p "$data" "$image/proc"
mount --rbind "$image" "$image"
mount --rbind /proc "$image/proc"
mount -o remount,bind,ro "$image"
mount --bind "$data" "$image/data"
anybody=$(awk '$3 > 65534 { print "65532:65532" }' /proc/self/uid_map)
[ -z "$anybody" ] || chown -R "$anybody" "$data"
exec chroot ${anybody:+--userspec=$anybody} "$image" /usr/bin/linnet "$@"
