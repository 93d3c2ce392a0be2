#!/bin/sh
# Lays out all that an image of Linnet has: the one file, the C library, a user without rights, and the folder for data.
#   image-root.sh FILE FOLDER
set -eu
file=$1
root=$2
mkdir -p "$root/usr/bin" "$root/etc" "$root/data" "$root/tmp"
install -m 755 "$file" "$root/usr/bin/linnet"
# What the file is linked to, under the names by which the loader looks for it.
for library in $(ldd "$file" | grep -o '/[^ ]*'); do
	mkdir -p "$root$(dirname "$library")"
	install -m 755 "$(readlink -f "$library")" "$root$library"
done
# How host names are resolved; the runtime of the container adds resolv.conf and hosts.
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
echo 'linnet:x:65532:65532::/data:/usr/bin/linnet' >"$root/etc/passwd"
echo 'linnet:x:65532:' >"$root/etc/group"
chmod 1777 "$root/tmp"
chmod 700 "$root/data"
