"""Asks for many secrets, one after another. secrets-many.py JSON: [[words, way, printed], ...]"""
import json, os, subprocess, sys, termios, time, tty

FILLER = ('an ordinary line of output, as programs print them\r\n' * 1400)


def show(text):
    data = text.encode()
    while data:
        data = data[os.write(1, data):]


def settings(change):
    mode = termios.tcgetattr(0)
    change(mode)
    termios.tcsetattr(0, termios.TCSANOW, mode)


def line():
    got = b''
    while not got.endswith(b'\n'):
        got += os.read(0, 1)
    return got[:-1].decode()


def hidden(words, late):
    show(words)
    if late:
        time.sleep(0.05)

    def off(mode):
        mode[3] &= ~termios.ECHO

    def on(mode):
        mode[3] |= termios.ECHO
    settings(off)
    got = line()
    settings(on)
    show('\r\n')
    return got


def raw(words, way):
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSANOW)
    show('\x1b[?2004h' + words)
    got = ''
    pending = b''
    while True:
        pending += os.read(0, 100)
        try:
            text = pending.decode()
        except UnicodeDecodeError:
            continue
        pending = b''
        text = text.replace('\x1b[200~', '').replace('\x1b[201~', '')
        done = '\r' in text
        for letter in text.split('\r')[0]:
            got += letter
            if way == 'bullets':
                show('*')
            if way == 'dots':
                show('\r\x1b[K' + words + '•' * len(got))
            if way == 'reveals':
                show('\r\x1b[K' + words + '•' * (len(got) - 1) + letter)
            if way == 'reveals in place':
                show(('\b•' if len(got) > 1 else '') + letter)
        if done:
            break
    show('\x1b[?2004l\r\n')
    termios.tcsetattr(0, termios.TCSANOW, before)
    return got


def box(words, argv):
    read, write = os.pipe()
    shown = subprocess.Popen(argv + ['--output-fd', str(write), '--passwordbox', words, '8', '60'], pass_fds=[write])
    os.close(write)
    shown.wait()
    got = os.read(read, 10_000).decode()
    os.close(read)
    return got


def ask(words, way):
    if way == 'shown':
        show(words)
        return line()
    if way in ('hidden', 'late'):
        return hidden(words, way == 'late')
    if way in ('whiptail', 'dialog'):
        return box(words, [way])
    if way == 'insecure':
        return box(words, ['dialog', '--insecure'])
    return raw(words, way)


for at, (words, way, printed) in enumerate(json.loads(sys.argv[1])):
    show(f'\r\nnext {at}\r\n')
    got = ask(words, way)
    if printed == 'at once':
        show(f'it was {got}.\r\n')
    if printed == 'later':
        show(FILLER + f'it was {got}.\r\n')
    show(f'\x1b[2J\x1b[Hread {at} {len(got)}\r\n')
show('Colour: ')
show(f'{line()} is a colour\r\nOver: ')
line()
