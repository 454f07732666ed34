# Leaves anything but an answer: its second line names what.
folder=$(dirname "$1")
exec 3>&2 2> /dev/null
case $ATTACK in
link) ln -sf "$SECRET" "$1" ;;
hard) rm "$1"; ln "$SECRET" "$1" || cp /dev/null "$1" ;;
pipe) rm "$1"; mkfifo "$1" ;;
folder) rm "$1"; mkdir -p "$1/a/b"; chmod 000 "$1/a/b" "$1/a" "$1" ;;
away) mv "$folder" "$folder.old" || rm -r "$folder"; ln -s "$SECRET" "$folder" ;;
fill) n=0; while head -c 60000000 /dev/full > "$folder/$n"; do n=$((n + 1)); done; exit 3 ;;
deep | hide | move) exec python3 - "$ATTACK" "$folder" << 'END'
import os, sys, time
attack, folder = sys.argv[1:]
os.chdir(folder)
top = os.open(".", os.O_RDONLY)
def sink(name, levels):
    for _ in range(levels):
        os.mkdir(name)
        os.chdir(name)
if attack == "deep":
    # Chains below one another: in one that is long, each step takes longer.
    end = None
    for n in range(12):
        os.fchdir(top)
        sink(f"c{n}", 1)
        sink("d", 400)
        if end is not None:
            os.rename(f"c{n}", "d", src_dir_fd=top, dst_dir_fd=end)
        end = os.open(".", os.O_RDONLY)
    sys.exit()
if attack == "hide":
    sink("q" * 250, 20)
else:
    try:
        os.rename(os.path.dirname(folder), "/tmp/elsewhere")
    except OSError:
        pass
for n in range(400):
    with open(f"{n}", "wb") as file:
        file.write(bytes(1 << 20))
time.sleep(60)
END
    ;;
orphan) setsid sh -c 'trap "" TERM HUP INT; while :; do echo "{}" > "$0"; done' "$1" & exit 0 ;;
*) exec python3 "$PROGRAM" "$ATTACK" 2>&3 ;;
esac
exit 0
