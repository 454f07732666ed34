# Leaves anything but an answer: its second line names what.
folder=$(dirname "$1")
exec 3>&2 2> /dev/null
case $ATTACK in
link) ln -sf "$SECRET" "$1" ;;
hard) rm "$1"; ln "$SECRET" "$1" || cp /dev/null "$1" ;;
pipe) rm "$1"; mkfifo "$1" ;;
folder) rm "$1"; mkdir -p "$1/a/b"; chmod 000 "$1/a/b" "$1/a" "$1" ;;
away) mv "$folder" "$folder.old" || rm -r "$folder"; ln -s "$SECRET" "$folder" ;;
fill) n=0; while head -c 60000000 /dev/zero > "$folder/$n"; do n=$((n + 1)); done; exit 3 ;;
orphan) setsid sh -c 'trap "" TERM HUP INT; while :; do echo "{}" > "$0"; done' "$1" & exit 0 ;;
*) exec python3 "$PROGRAM" "$ATTACK" 2>&3 ;;
esac
exit 0
