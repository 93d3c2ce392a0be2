#!/bin/sh
# Creates the file system of an image of Linnet: the one file, the C library, an unprivileged user, and the data folder.
#   image-root.sh FILE FOLDER
set -eu
file=$1
root=$2
mkdir -p "$root/usr/bin" "$root/etc" "$root/data" "$root/tmp"
install -m 755 "$file" "$root/usr/bin/linnet"
# The libraries that the file is linked to, under the names that the loader looks up.
for library in $(ldd "$file" | grep -o '/[^ ]*'); do
	mkdir -p "$root$(dirname "$library")"
	install -m 755 "$(readlink -f "$library")" "$root$library"
done
# For resolving host names; the container runtime adds resolv.conf and hosts.
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
echo 'linnet:x:65532:65532::/data:/usr/bin/linnet' >"$root/etc/passwd"
echo 'linnet:x:65532:' >"$root/etc/group"
chmod 1777 "$root/tmp"
chmod 700 "$root/data"
