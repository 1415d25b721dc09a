"""Asks one question after the other, each for a set time, and writes down which of them got which bytes.

race-program.py SHAPE FILE LIMIT_MS: a limit of 0 waits for ever.
"""
import os, select, sys, termios, time, tty

shape, path, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]) / 1000
truth = open(path, 'a', buffering=1)
raw = shape not in ('timed', 'same', 'again')
if raw:
    tty.setcbreak(0, termios.TCSANOW)
wheel = '⠋⠙⠹⠸⠼⠴⠦⠧'
frame_s = 0.08


def note(what, number, *more):
    truth.write('\t'.join([what, str(number), *map(str, more), f'{time.time() * 1000:.3f}']) + '\n')


def show(text):
    os.write(1, text.encode())


def paint(number, turn):
    if shape == 'spin':
        # The wheel turns on the line above, as beside a download.
        back = '\x1b[1A\r' if turn else ''
        show(f'{back}{wheel[turn % len(wheel)]} loading\r\nProceed with step {number}? (y/n) ')
    elif shape == 'menu':
        if turn:
            return
        rows = ''.join(f'{">" if row == 0 else " "} {row + 1}) part {number}.{row + 1}\r\n' for row in range(3))
        show(f'Which part of {number}?\r\n{rows}Choose [1-3]: ')
    elif shape == 'same':
        show(f'file-{number}.txt exists.\nOverwrite it? [y/N] ' if turn == 0 else '')
    elif shape == 'again':
        show('Overwrite it? [y/N] ' if turn == 0 else '')
    elif turn == 0:
        show(f'Keep entry {number}? [y/n] ')


def ask(number):
    start = time.time()
    end = start + limit if limit else float('inf')
    paint(number, 0)
    note('shown', number, f'{end * 1000:.3f}' if limit else 0)
    if shape == 'vtime':
        return ask_driver(number)
    turn = 0
    while True:
        left = end - time.time()
        if left <= 0:
            return None
        step = min(left, frame_s) if shape == 'spin' else left
        ready, _, _ = select.select([0], [], [], None if step == float('inf') else step)
        if ready:
            return os.read(0, 1 if raw else 1000)
        turn += 1
        paint(number, turn)


def ask_driver(number):
    """The terminal's own time limit: the program is blocked in a read."""
    mode = termios.tcgetattr(0)
    mode[6][termios.VMIN], mode[6][termios.VTIME] = (0, max(1, round(limit * 10))) if limit else (1, 0)
    termios.tcsetattr(0, termios.TCSANOW, mode)
    return os.read(0, 1) or None


number = 0
while True:
    number += 1
    got = ask(number)
    if got is None:
        note('over', number)
    else:
        note('got', number, got.hex())
    # The next question comes at once, after a word, or after some work.
    if number % 3 == 1:
        show('\r\n')
    elif number % 3 == 2:
        show('\r\nGoing on.\r\n')
    else:
        show('\r\n')
        time.sleep(0.015)
