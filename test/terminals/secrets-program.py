"""Reads a password in ways that programs do. secrets-program.py WAY"""
import os, sys, termios, time, tty

way = sys.argv[1]


def show(text):
    os.write(1, text.encode())


def silent(on):
    mode = termios.tcgetattr(0)
    mode[3] = mode[3] & ~termios.ECHO if on else mode[3] | termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, mode)


def keys(bullet):
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSANOW)
    got = b''
    while not got.endswith((b'\r', b'\n')):
        more = os.read(0, 100)
        got += more
        show(bullet * len(more))
    termios.tcsetattr(0, termios.TCSANOW, before)
    return got.replace(b'\x1b[200~', b'').replace(b'\x1b[201~', b'')[:-1]


if way == 'pasted':
    show('\x1b[?2004hPassword: ')
    got = keys('')
    show('\x1b[?2004l')
elif way == 'in its own row':
    # Reads without a trace, and prints it where an echo would be.
    show('Zaklinadlo: ')
    got = keys('')
    show(f'\r\x1b[KZaklinadlo: {got.decode()}')
elif way == 'bullets':
    show('Password: ')
    got = keys('*')
else:
    show('Password: ')
    if way == 'early':
        # Asks first and hides then, as careless programs do.
        time.sleep(0.4)
        silent(True)
    got = os.read(0, 1000)[:-1]
    silent(False)
show(f'\r\nlength {len(got.decode())}\r\n')
